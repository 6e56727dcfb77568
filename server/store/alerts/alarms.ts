import { ALARM_MAIL } from '../../core/health.ts';
import { enqueueMail } from '../mail/mails.ts';
import { consumeRateLimit } from '../operations/rate-limits.ts';
import type { Store } from '../db/open-store.ts';
import { inTransaction } from '../db/transaction.ts';

/**
 * Codes of problems that only the operator can fix. They are stable, because metrics and mails contain them.
 * docs/guides/monitor.md explains each code.
 */
export const ALARM_CODES = [
  'smtp_refuses_us',
  'smtp_unencrypted',
  'smtp_no_reply',
  'mail_down',
  'clock_wrong',
  'network_cut',
  'checks_late',
  'alerts_late',
  'bounce_mailbox',
  'paddle_sandbox',
  'database_damaged',
  'disk_failed',
  'disk_full',
  'tls_differs',
] as const;
export type AlarmCode = (typeof ALARM_CODES)[number];

/** A raised alarm. Timestamps are in ms UTC. */
export interface Alarm {
  code: AlarmCode;
  /** One sentence for the operator about the problem. */
  detail: string;
  since: number;
}

/** Raises an alarm, or updates the detail and last-seen time of one already raised. Returns whether it is new. */
export async function raiseAlarm(
  store: Store,
  { code, detail, now }: { code: AlarmCode; detail: string; now: number },
): Promise<boolean> {
  const { since } = await store.db
    .insertInto('alarms')
    .values({ code, detail, since: now, seen_at: now })
    .onConflict((conflict) => conflict.column('code').doUpdateSet({ detail, seen_at: now }))
    .returning('since')
    .executeTakeFirstOrThrow();
  return since === now;
}

/** Clears an alarm. Returns false if it was not raised. */
export async function clearAlarm(store: Store, code: AlarmCode): Promise<boolean> {
  const { numDeletedRows } = await store.db.deleteFrom('alarms').where('code', '=', code).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Returns all raised alarms, oldest first. */
export async function raisedAlarms(store: Store): Promise<Alarm[]> {
  const rows = await store.db
    .selectFrom('alarms')
    .select(['code', 'detail', 'since'])
    .orderBy('since')
    .orderBy('code')
    .execute();
  return rows.map(({ code, ...alarm }) => ({ code: code as AlarmCode, ...alarm }));
}

/**
 * Queues a mail to the operator about every alarm raised for at least five minutes: at most one a day per code, even if
 * the alarm is cleared and raised again. Returns how many mails it queued.
 */
export async function mailAlarms(
  store: Store,
  { recipient, now }: { recipient: string; now: number },
): Promise<number> {
  const queued = await inTransaction(store, async (trx) => {
    const due = await trx
      .selectFrom('alarms')
      .select(['code', 'detail', 'since'])
      .where('since', '<=', now - ALARM_MAIL.minAgeMs)
      .where((eb) => eb.or([eb('told_at', 'is', null), eb('told_at', '<=', now - ALARM_MAIL.repeatMs)]))
      .execute();
    let mails = 0;
    for (const { code, detail, since } of due) {
      // The row of an alarm is deleted when the alarm ends; the row of the rate limit stays. So an alarm that comes back
      // sends no second mail within a day, and only one worker queues the mail.
      const use = { key: `operator-alarm:${code}`, limit: 1, windowMs: ALARM_MAIL.repeatMs, now };
      if (!(await consumeRateLimit({ db: trx }, use)).allowed) continue;
      await trx.updateTable('alarms').set({ told_at: now }).where('code', '=', code).execute();
      const content = { kind: 'operator_alarm', code, detail, since } as const;
      await enqueueMail(trx, {
        accountId: null,
        recipient,
        content,
        now,
        expiresAt: now + ALARM_MAIL.expiresAfterMs,
      });
      mails += 1;
    }
    return mails;
  });
  if (queued > 0) store.signals.publish({ topic: 'mails' });
  return queued;
}

/**
 * Clears alarms with these codes that no process has confirmed since `before` (ms UTC). Without this, an alarm would stay forever
 * if the process that raised it ended, because no other process clears it.
 */
export async function clearUnconfirmedAlarms(
  store: Store,
  { codes, before }: { codes: readonly AlarmCode[]; before: number },
): Promise<void> {
  await store.db.deleteFrom('alarms').where('code', 'in', codes).where('seen_at', '<', before).execute();
}
