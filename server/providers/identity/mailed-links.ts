import type { AuthContext } from 'better-auth';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { BuiltInActions, IdentityEvents } from './identity-provider.ts';
import { weaknessOf, wordsOf } from './weak-password.ts';
import { MINUTE_MS, DAY_MS } from '../../../contract/durations.ts';

const VERIFY_MS = DAY_MS;
const RESET_MS = 30 * MINUTE_MS;
/** Looking up an address, and writing a mail to it, take less by far. */
const ANSWER_AFTER_MS = 300;

/** What links in mails can do: verify an address, and set a new password. The library keeps hashes of the tokens only. */
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
}): Omit<BuiltInActions, 'callerOf'> {
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
    const kept = await internalAdapter.findVerificationValue(`${use}:${token}`);
    return kept !== null && kept.expiresAt.getTime() > now() ? kept.value : null;
  }

  return {
    async sendVerification(subject) {
      const user = await (await context).internalAdapter.findUserById(subject);
      if (user === null || user.emailVerified) return;
      const link = await createToken('verify-email', subject, VERIFY_MS);
      await events.mail({ subject, email: user.email }, { kind: 'verify_email', ...link });
    },

    async verifyEmail(token, subject) {
      // Not spent: the link may be opened twice, and says the same again.
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
      await Promise.all([send(), delay(ANSWER_AFTER_MS)]);
    },

    async resetPassword(token, password) {
      const { internalAdapter, password: passwords } = await context;
      const subject = await subjectOf('reset-password', token);
      const user = subject === null ? null : await internalAdapter.findUserById(subject);
      if (user === null) return { ok: false, reason: 'invalid_token' };
      const weakness = await weaknessOf(password, [...wordsOf(user.email), user.name, productName]);
      if (weakness !== null) return { ok: false, reason: weakness };

      const passwordHash = await passwords.hash(password);
      const spent = await internalAdapter.consumeVerificationValue(`reset-password:${token}`);
      if (spent?.value !== user.id) return { ok: false, reason: 'invalid_token' };
      const successor = await events.addressProven(user.id, { passwordHash });
      return successor === null ? { ok: false, reason: 'invalid_token' } : { ok: true, subject: successor };
    },
  };
}
