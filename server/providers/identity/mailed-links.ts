import type { AuthContext } from 'better-auth';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { BuiltInActions, IdentityEvents } from './identity-provider.ts';
import { emailWords, passwordWeakness } from './weak-password.ts';
import { DAY_MS, MINUTE_MS } from '../../../contract/durations.ts';

const VERIFY_MS = DAY_MS;
const RESET_MS = 30 * MINUTE_MS;
/**
 * Minimum response time of a reset request, ms. Finding the user and queueing the mail take far less, so the response time does
 * not reveal whether a user exists.
 */
const MIN_RESPONSE_MS = 300;

/**
 * Creates the actions behind mailed links: verifying an address and resetting a password. The library stores only hashes of
 * the tokens.
 */
export function createMailedLinks({
  context,
  events,
  productName,
  now,
}: {
  context: Promise<
    Pick<AuthContext, 'internalAdapter'> & { password: Pick<AuthContext['password'], 'hash'> }
  >;
  events: IdentityEvents;
  productName: string;
  now: () => number;
}): Omit<BuiltInActions, 'callerOf' | 'openSession'> {
  async function createToken(use: 'verify-email' | 'reset-password', subject: string, lifetimeMs: number) {
    const { internalAdapter } = await context;
    const token = randomBytes(32).toString('base64url');
    const expiresAt = now() + lifetimeMs;
    await internalAdapter.createVerificationValue({
      identifier: `${use}:${token}`,
      value: subject,
      expiresAt: new Date(expiresAt),
    });
    return { token, expiresAt };
  }

  async function subjectOf(use: 'verify-email' | 'reset-password', token: string): Promise<string | null> {
    const { internalAdapter } = await context;
    const stored = await internalAdapter.findVerificationValue(`${use}:${token}`);
    return stored !== null && stored.expiresAt.getTime() > now() ? stored.value : null;
  }

  return {
    async sendVerification(subject) {
      const user = await (await context).internalAdapter.findUserById(subject);
      if (user === null || user.emailVerified) return;
      const link = await createToken('verify-email', subject, VERIFY_MS);
      await events.mail({ subject, email: user.email }, { kind: 'verify_email', ...link });
    },

    async verifyEmail(token, subject) {
      // Do not consume the token, so that opening the link a second time succeeds too.
      if ((await subjectOf('verify-email', token)) !== subject) return false;
      return events.addressVerified(subject);
    },

    async requestPasswordReset(email) {
      const send = async () => {
        const found = await (await context).internalAdapter.findUserByEmail(email.toLowerCase());
        if (found === null) return;
        const { id } = found.user;
        const link = await createToken('reset-password', id, RESET_MS);
        await events.mail({ subject: id, email: found.user.email }, { kind: 'reset_password', ...link });
      };
      await Promise.all([send(), delay(MIN_RESPONSE_MS)]);
    },

    async resetPassword(token, password) {
      const { internalAdapter, password: passwords } = await context;
      const subject = await subjectOf('reset-password', token);
      const user = subject === null ? null : await internalAdapter.findUserById(subject);
      if (user === null) return { ok: false, reason: 'invalid_token' };
      const weakness = await passwordWeakness(password, [...emailWords(user.email), user.name, productName]);
      if (weakness !== null) return { ok: false, reason: weakness };

      const passwordHash = await passwords.hash(password);
      const consumed = await internalAdapter.consumeVerificationValue(`reset-password:${token}`);
      if (consumed?.value !== user.id) return { ok: false, reason: 'invalid_token' };
      const newSubject = await events.addressProven(user.id, { passwordHash });
      return newSubject === null ? { ok: false, reason: 'invalid_token' } : { ok: true, subject: newSubject };
    },
  };
}
