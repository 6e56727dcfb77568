import { afterEach, describe, expect, it, vi } from 'vitest';
import { SignInCancelled } from '../account/identity.ts';
import { askForPasskey, hasPasskeys, makePasskey } from './webauthn.ts';

const buffer = (...values: number[]) => Uint8Array.from(values).buffer;

/** Stubs a browser with passkeys. Returns the options with which the page called it. */
function browser(answer: () => Promise<unknown>): { publicKey?: unknown }[] {
  const calls: object[] = [];
  const dialog = (options: object) => {
    calls.push(options);
    return answer();
  };
  vi.stubGlobal('PublicKeyCredential', vi.fn());
  vi.stubGlobal('navigator', { credentials: { get: dialog, create: dialog } });
  return calls;
}

function credential(response: object) {
  const getClientExtensionResults = () => ({});
  return { id: 'AQI', type: 'public-key', rawId: buffer(1, 2), response, getClientExtensionResults };
}

afterEach(() => void vi.unstubAllGlobals());

const wanted = { challenge: '-vv8', userVerification: 'required', rpId: 'localhost' } as const;
const made = {
  rp: { id: 'localhost', name: 'Certlantern' },
  user: { id: 'CQk', name: 'alice@fjord.example', displayName: 'Alice' },
  challenge: '-g',
  pubKeyCredParams: [{ type: 'public-key' as const, alg: -7 }],
};

describe('passkeys', () => {
  it('are detected if the browser supports passkeys', () => {
    expect(hasPasskeys()).toBe(false);
    browser(async () => null);
    expect(hasPasskeys()).toBe(true);
  });

  it('return an assertion as JSON', async () => {
    const calls = browser(async () =>
      credential({
        clientDataJSON: buffer(1),
        authenticatorData: buffer(2),
        signature: buffer(3),
        userHandle: buffer(4),
      }),
    );
    expect(await askForPasskey(wanted)).toMatchObject({
      id: 'AQI',
      rawId: 'AQI',
      type: 'public-key',
      response: { clientDataJSON: 'AQ', authenticatorData: 'Ag', signature: 'Aw', userHandle: 'BA' },
    });
    expect(calls[0]?.publicKey).toMatchObject({ ...wanted, challenge: buffer(250, 251, 252) });
  });

  it('return a new passkey as JSON', async () => {
    const calls = browser(async () =>
      credential({
        clientDataJSON: buffer(1),
        attestationObject: buffer(5),
        getTransports: () => ['internal'],
      }),
    );
    expect(await makePasskey(made)).toMatchObject({
      id: 'AQI',
      rawId: 'AQI',
      type: 'public-key',
      response: { clientDataJSON: 'AQ', attestationObject: 'BQ', transports: ['internal'] },
    });
    expect(calls[0]?.publicKey).toMatchObject({
      challenge: buffer(250),
      user: { ...made.user, id: buffer(9, 9) },
    });
  });

  it.each([
    ['NotAllowedError', SignInCancelled],
    ['AbortError', SignInCancelled],
    ['InvalidStateError', /already has a passkey for your account/],
    ['DataError', /insecure/],
  ])('report %s as a known error', async (name, expected) => {
    browser(() => Promise.reject(new DOMException('insecure', name)));
    await expect(askForPasskey(wanted)).rejects.toThrow(expected);
    await expect(makePasskey(made)).rejects.toThrow(expected);
  });
});
