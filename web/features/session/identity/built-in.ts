import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser';
import { z } from 'zod';
import {
  identityToken,
  oidcStart,
  passkeySignIn,
  passkeySignInOptions,
  requestPasswordReset,
  signIn,
  signOut,
  signUp,
  verifyBackupCode,
  verifyTotp,
} from '../../../../contract/calls/identity.ts';
import { call, callForResponse } from '../../../lib/api-client.ts';
import { ApiError } from '../../../lib/api-error.ts';
import { jsonOf } from '../../../lib/browser/base64url.ts';
import type { Identity, SecondStep } from '../../../lib/account/identity.ts';
import { askForPasskey } from '../../../lib/browser/webauthn.ts';
import { signInByPopup } from './popup.ts';

const requestOptions = z.custom<PublicKeyCredentialRequestOptionsJSON>(
  (options) => options instanceof Object,
);
const claimsSchema = z.object({ email: z.string(), name: z.string().default('') });

const secondStep: SecondStep = {
  async enter(code, kind) {
    await call(kind === 'app' ? verifyTotp : verifyBackupCode, { body: { code } });
  },
};

/** Creates the built-in provider. Its session is a short-lived cookie that is sent only below /api/identity. */
export function createBuiltInIdentity(): Identity {
  return {
    keepsTrial: true,

    async signIn(email, password) {
      const answer = await call(signIn, { body: { email, password } });
      return 'twoFactorRedirect' in answer ? secondStep : null;
    },

    async signUp(identity) {
      try {
        await call(signUp, { body: identity });
        return null;
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'email_taken') throw error;
        const { email, password } = identity;
        // If this sign-in fails too, the address belongs to somebody else or the password is wrong. The error of the sign-up
        // then says what to do.
        return this.signIn(email, password).catch(() => Promise.reject(error));
      }
    },

    signInWith(provider, { invite, trial, ...options } = {}) {
      return signInByPopup(
        async () => (await call(oidcStart, { body: { provider, invite, trial } })).url,
        options,
      );
    },

    async signInWithPasskey() {
      const options = await call({ ...passkeySignInOptions, response: requestOptions });
      await call(passkeySignIn, { body: { response: await askForPasskey(options) } });
    },

    async proveSignIn() {
      const { token } = await call(identityToken);
      return { token, ...claimsSchema.parse(jsonOf(token.split('.')[1] ?? '')) };
    },

    async requestPasswordReset(email) {
      await call(requestPasswordReset, { body: { email } });
    },

    async signOut() {
      try {
        await callForResponse(signOut);
      } catch (error) {
        // The provider's session has usually ended already, because the server ends it right after the token exchange.
        if (!(error instanceof ApiError) || error.status === 0 || error.status >= 500) throw error;
      }
    },

    // The server deletes the user with the account.
    deleteUser: async () => undefined,
  };
}
