import { z } from 'zod';
import { identityTokenSchema } from '../../../../contract/identity.ts';
import { ApiError } from '../../../lib/api-error.ts';
import { jsonOf } from '../../../lib/base64url.ts';
import { bodyOf, errorOf, send, understood } from '../../../lib/http.ts';
import type { Identity, SecondStep } from '../../../lib/identity.ts';
import { askForPasskey } from '../../../lib/webauthn.ts';
import { signInByPopup } from './popup.ts';

const signInAnswer = z.object({ twoFactorRedirect: z.boolean().optional() });
const startAnswer = z.object({ url: z.string() });
const anyAnswer = z.unknown();
const optionsAnswer = z.custom<PublicKeyCredentialRequestOptionsJSON>((options) => options instanceof Object);
const claimsSchema = z.object({ email: z.string(), name: z.string().default('') });

/** The provider's 401 is about the credentials: there is no session yet that a refresh could renew. */
async function call<Schema extends z.ZodType>(
  path: string,
  { body, schema }: { body?: object; schema: Schema },
): Promise<z.output<Schema>> {
  const response = await send(`/api/identity${path}`, body ? { method: 'POST', body } : {});
  if (!response.ok) throw await errorOf(response);
  return understood(schema, await bodyOf(response), response.status);
}

const secondStep: SecondStep = {
  async enter(code, kind) {
    await call(kind === 'app' ? '/two-factor/verify-totp' : '/two-factor/verify-backup-code', {
      body: { code },
      schema: anyAnswer,
    });
  },
};

/** The product's own provider, with its short-lived cookie below /api/identity. */
export function createBuiltInIdentity(): Identity {
  return {
    async signIn(email, password) {
      const answer = await call('/sign-in/email', { body: { email, password }, schema: signInAnswer });
      return answer.twoFactorRedirect === true ? secondStep : null;
    },

    async signUp(identity) {
      try {
        await call('/sign-up/email', { body: identity, schema: anyAnswer });
        return null;
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'email_taken') throw error;
        const { email, password } = identity;
        // Refused, the address belongs to somebody else, or to a password that was forgotten: the first answer says what to do.
        return this.signIn(email, password).catch(() => Promise.reject(error));
      }
    },

    signInWith(provider, { invite, trial, ...options } = {}) {
      return signInByPopup(
        async () =>
          (await call('/sign-in/oauth2', { body: { provider, invite, trial }, schema: startAnswer })).url,
        options,
      );
    },

    async signInWithPasskey() {
      const options = await call('/passkey/generate-authenticate-options', { schema: optionsAnswer });
      const response = await askForPasskey(options);
      await call('/passkey/verify-authentication', { body: { response }, schema: anyAnswer });
    },

    async vouch() {
      const { token } = await call('/token', { schema: identityTokenSchema });
      return { token, ...claimsSchema.parse(jsonOf(token.split('.')[1] ?? '')) };
    },

    async requestPasswordReset(email) {
      await call('/request-password-reset', { body: { email }, schema: anyAnswer });
    },

    async signOut() {
      try {
        await call('/sign-out', { body: {}, schema: anyAnswer });
      } catch (error) {
        // The provider's session is usually over already: the server ends it right after the token exchange.
        if (!(error instanceof ApiError) || error.status === 0 || error.status >= 500) throw error;
      }
    },

    // The server deletes it together with the account.
    deleteUser: async () => undefined,
  };
}
