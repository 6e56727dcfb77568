import { z } from 'zod';
import { identityTokenSchema } from '../../../../contract/identity.ts';
import { ApiError } from '../../../lib/api-error.ts';
import { jsonOf } from '../../../lib/base64url.ts';
import { errorOf, send } from '../../../lib/http.ts';
import type { Identity, SecondStep } from '../../../lib/identity.ts';
import { askForPasskey } from '../../../lib/webauthn.ts';
import { signInByPopup } from './popup.ts';

const signInAnswer = z.object({ twoFactorRedirect: z.boolean().optional() });
const startAnswer = z.object({ url: z.string() });
const claimsSchema = z.object({ email: z.string(), name: z.string().default('') });

/** The provider's 401 is about the credentials: there is no session yet that a refresh could renew. */
async function call(path: string, body?: object): Promise<unknown> {
  const response = await send(`/api/identity${path}`, body ? { method: 'POST', body } : {});
  if (!response.ok) throw await errorOf(response);
  return await response.json();
}

const secondStep: SecondStep = {
  async enter(code, kind) {
    await call(kind === 'app' ? '/two-factor/verify-totp' : '/two-factor/verify-backup-code', { code });
  },
};

/** The product's own provider, with its short-lived cookie below /api/identity. */
export function createBuiltInIdentity(): Identity {
  return {
    async signIn(email, password) {
      const answer = signInAnswer.parse(await call('/sign-in/email', { email, password }));
      return answer.twoFactorRedirect === true ? secondStep : null;
    },

    async signUp(identity) {
      await call('/sign-up/email', identity);
    },

    signInWith(provider, { invite, ...options } = {}) {
      return signInByPopup(
        async () => startAnswer.parse(await call('/sign-in/oauth2', { provider, invite })).url,
        options,
      );
    },

    async signInWithPasskey() {
      const options = await call('/passkey/generate-authenticate-options');
      const response = await askForPasskey(options as PublicKeyCredentialRequestOptionsJSON);
      await call('/passkey/verify-authentication', { response });
    },

    async vouch() {
      const { token } = identityTokenSchema.parse(await call('/token'));
      return { token, ...claimsSchema.parse(jsonOf(token.split('.')[1] ?? '')) };
    },

    async requestPasswordReset(email) {
      await call('/request-password-reset', { email });
    },

    async signOut() {
      try {
        await call('/sign-out', {});
      } catch (error) {
        // The provider's session is usually over already: the server ends it right after the token exchange.
        if (!(error instanceof ApiError) || error.status === 0 || error.status >= 500) throw error;
      }
    },

    // The server deletes it together with the account.
    deleteUser: async () => undefined,
  };
}
