import { afterEach, describe, expect, it, vi } from 'vitest';
import { toBase64Url } from './base64url.ts';
import { SignInCancelled } from './identity.ts';
import { askForPasskey, creationOptionsOf, hasPasskeys, makePasskey, requestOptionsOf } from './webauthn.ts';

const bytes = (...values: number[]) => Uint8Array.from(values);
const buffer = (...values: number[]) => bytes(...values).buffer;

/** A browser that knows passkeys and none of the JSON forms. */
class OldCredential {
  static parseRequestOptionsFromJSON?: (json: unknown) => unknown;
  readonly id = 'AQI';
  readonly type = 'public-key';
  readonly rawId = buffer(1, 2);
  readonly authenticatorAttachment = 'platform';
  readonly response: object;
  constructor(response: object) {
    this.response = response;
  }
}

function browser(credentials: { get?: () => Promise<unknown>; create?: () => Promise<unknown> } = {}): void {
  vi.stubGlobal('PublicKeyCredential', OldCredential);
  vi.stubGlobal('navigator', { credentials });
}

afterEach(() => {
  vi.unstubAllGlobals();
  delete OldCredential.parseRequestOptionsFromJSON;
});

const wanted = {
  challenge: toBase64Url(bytes(250, 251, 252)),
  allowCredentials: [{ id: toBase64Url(bytes(7)), type: 'public-key', transports: ['internal'] }],
  userVerification: 'required',
  rpId: 'localhost',
};
const made = {
  rp: { id: 'localhost', name: 'Certlantern' },
  user: { id: toBase64Url(bytes(9, 9)), name: 'alice@fjord.example', displayName: 'Alice' },
  challenge: toBase64Url(bytes(250)),
  pubKeyCredParams: [{ type: 'public-key' as const, alg: -7 }],
};

describe('passkeys', () => {
  it('are known to be there or not', () => {
    expect(hasPasskeys()).toBe(false);
    browser();
    expect(hasPasskeys()).toBe(true);
  });

  it('have their options read by the browser where it can', () => {
    browser();
    OldCredential.parseRequestOptionsFromJSON = (json) => ({ native: json });
    expect(requestOptionsOf(wanted)).toEqual({ native: wanted });
  });

  it('have their options read here where the browser cannot', () => {
    browser();
    expect(requestOptionsOf(wanted)).toEqual({
      challenge: bytes(250, 251, 252),
      allowCredentials: [{ id: bytes(7), type: 'public-key', transports: ['internal'] }],
      userVerification: 'required',
      rpId: 'localhost',
    });
    expect(creationOptionsOf(made)).toMatchObject({
      challenge: bytes(250),
      user: { id: bytes(9, 9), name: 'alice@fjord.example', displayName: 'Alice' },
      pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
      excludeCredentials: [],
    });
  });

  it('are sent as the server reads them, from an older browser too', async () => {
    browser({
      get: async () =>
        new OldCredential({
          clientDataJSON: buffer(1),
          authenticatorData: buffer(2),
          signature: buffer(3),
          userHandle: buffer(4),
        }),
      create: async () =>
        new OldCredential({
          clientDataJSON: buffer(1),
          attestationObject: buffer(5),
          getTransports: () => ['internal'],
        }),
    });
    const shared = { id: 'AQI', rawId: 'AQI', type: 'public-key', clientExtensionResults: {} };
    expect(await askForPasskey(wanted)).toMatchObject({
      ...shared,
      response: { clientDataJSON: 'AQ', authenticatorData: 'Ag', signature: 'Aw', userHandle: 'BA' },
    });
    expect(await makePasskey(made)).toMatchObject({
      ...shared,
      response: { clientDataJSON: 'AQ', attestationObject: 'BQ', transports: ['internal'] },
    });
  });

  it.each([
    ['NotAllowedError', SignInCancelled],
    ['AbortError', SignInCancelled],
    ['InvalidStateError', /has a passkey for your account already/],
    ['SecurityError', /insecure/],
  ])('that end in %s are told as they should be', async (name, expected) => {
    browser({ get: () => Promise.reject(new DOMException('insecure', name)) });
    await expect(askForPasskey(wanted)).rejects.toThrow(expected);
  });

  it('that nobody chose are no failure', async () => {
    browser({ get: async () => null });
    await expect(askForPasskey(wanted)).rejects.toThrow(SignInCancelled);
  });
});
