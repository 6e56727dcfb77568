import type { Store } from './open-store.ts';

/** What only the operator can set right. Stable: they stand in metrics and mails, and docs/operations.md explains each. */
export const ALARM_CODES = [
  'smtp_refuses_us',
  'mail_down',
  'clock_wrong',
  'network_cut',
  'checks_late',
  'alerts_late',
  'bounce_mailbox',
] as const;
export type AlarmCode = (typeof ALARM_CODES)[number];

/** Instants are ms UTC. */
export interface Alarm {
  code: AlarmCode;
  /** A sentence. */
  detail: string;
  since: number;
}

/** Lets an alarm stand, or says that it still does. True where it did not stand before. */
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

/** Ends an alarm. True where it stood. */
export async function clearAlarm(store: Store, code: AlarmCode): Promise<boolean> {
  const { numDeletedRows } = await store.db.deleteFrom('alarms').where('code', '=', code).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Every alarm that stands, the oldest first. */
export async function standingAlarms(store: Store): Promise<Alarm[]> {
  const rows = await store.db
    .selectFrom('alarms')
    .select(['code', 'detail', 'since'])
    .orderBy('since')
    .orderBy('code')
    .execute();
  return rows.map(({ code, ...alarm }) => ({ code: code as AlarmCode, ...alarm }));
}
