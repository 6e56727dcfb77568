import { fromBase64Url, toBase64Url } from './base64url.ts';
import { SignInCancelled } from './identity.ts';

/** Whether the browser has passkeys. They exist in secure contexts only. */
export function hasPasskeys(): boolean {
  return 'PublicKeyCredential' in globalThis;
}

/** What older browsers lack. */
type JsonForms = Partial<
  Pick<typeof PublicKeyCredential, 'parseCreationOptionsFromJSON' | 'parseRequestOptionsFromJSON'>
>;

function descriptorsOf(list: PublicKeyCredentialDescriptorJSON[] = []): PublicKeyCredentialDescriptor[] {
  return list.map(({ id, transports }) => ({
    type: 'public-key',
    id: fromBase64Url(id),
    ...(transports && { transports: transports as AuthenticatorTransport[] }),
  }));
}

/** The options for `navigator.credentials.get`, by the browser itself where it can. */
export function requestOptionsOf(
  json: PublicKeyCredentialRequestOptionsJSON,
): PublicKeyCredentialRequestOptions {
  const native = (PublicKeyCredential as JsonForms).parseRequestOptionsFromJSON;
  if (native) return native.call(PublicKeyCredential, json);
  const { extensions: _, hints: __, ...rest } = json;
  return {
    ...rest,
    challenge: fromBase64Url(json.challenge),
    allowCredentials: descriptorsOf(json.allowCredentials),
    userVerification: json.userVerification as UserVerificationRequirement,
  };
}

/** The options for `navigator.credentials.create`, by the browser itself where it can. */
export function creationOptionsOf(
  json: PublicKeyCredentialCreationOptionsJSON,
): PublicKeyCredentialCreationOptions {
  const native = (PublicKeyCredential as JsonForms).parseCreationOptionsFromJSON;
  if (native) return native.call(PublicKeyCredential, json);
  const { extensions: _, hints: __, ...rest } = json;
  return {
    ...rest,
    attestation: json.attestation as AttestationConveyancePreference,
    pubKeyCredParams: json.pubKeyCredParams.map(({ alg }) => ({ type: 'public-key', alg })),
    challenge: fromBase64Url(json.challenge),
    user: { ...json.user, id: fromBase64Url(json.user.id) },
    excludeCredentials: descriptorsOf(json.excludeCredentials),
  };
}

const encoded = (buffer: ArrayBuffer) => toBase64Url(new Uint8Array(buffer));

/** The credential as the server reads it, by the browser itself where it can. */
function credentialJson(credential: PublicKeyCredential): object {
  if ('toJSON' in credential) return credential.toJSON();
  const { id, type, rawId, authenticatorAttachment, response } = credential as PublicKeyCredential;
  const shared = { id, type, rawId: encoded(rawId), authenticatorAttachment, clientExtensionResults: {} };
  const clientDataJSON = encoded(response.clientDataJSON);
  if ('attestationObject' in response) {
    const made = response as AuthenticatorAttestationResponse;
    const attestationObject = encoded(made.attestationObject);
    return {
      ...shared,
      response: { clientDataJSON, attestationObject, transports: made.getTransports() },
    };
  }
  const { authenticatorData, signature, userHandle } = response as AuthenticatorAssertionResponse;
  return {
    ...shared,
    response: {
      clientDataJSON,
      authenticatorData: encoded(authenticatorData),
      signature: encoded(signature),
      ...(userHandle && { userHandle: encoded(userHandle) }),
    },
  };
}

/** The browser does not tell a closed dialog from a timeout or a missing passkey, so that no site learns which it was. */
function refusalOf(error: unknown): Error {
  const name = error instanceof DOMException ? error.name : '';
  if (name === 'NotAllowedError' || name === 'AbortError') return new SignInCancelled();
  if (name === 'InvalidStateError') return new Error('This device has a passkey for your account already.');
  return error instanceof Error ? error : new Error('The passkey could not be used.');
}

function asPublicKey(credential: Credential | null): object {
  if (!(credential instanceof PublicKeyCredential)) throw new SignInCancelled();
  return credentialJson(credential);
}

/** Lets the person choose a passkey and proves it; call it from a click. */
export async function askForPasskey(options: PublicKeyCredentialRequestOptionsJSON): Promise<object> {
  try {
    return asPublicKey(await navigator.credentials.get({ publicKey: requestOptionsOf(options) }));
  } catch (error) {
    throw refusalOf(error);
  }
}

/** Lets the person make a passkey; call it from a click. */
export async function makePasskey(options: PublicKeyCredentialCreationOptionsJSON): Promise<object> {
  try {
    return asPublicKey(await navigator.credentials.create({ publicKey: creationOptionsOf(options) }));
  } catch (error) {
    throw refusalOf(error);
  }
}
