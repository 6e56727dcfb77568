import type { Kysely, Transaction } from 'kysely';
import { randomUUID } from 'node:crypto';
import { laneOf } from '../../core/check/schedule.ts';
import type { Plan } from '../../core/plan.ts';
import { sortName } from '../../core/endpoint.ts';
import { type CheckedEndpoint, identityOf, nameOf, type Targeted } from '../../core/target.ts';
import { type LockedPlan, lockPlan } from '../billing/entitlements.ts';
import { enqueueMail } from '../mail/mails.ts';
import { applyMisuseRules, type Misuse, type MisuseRules } from './misuse.ts';
import { announceMonitor } from './monitor-change.ts';
import { type Monitor, NOT_CHECKED, searchText, toMonitor } from './monitor-row.ts';
import { countMonitors } from './monitors.ts';
import type { Store } from '../db/open-store.ts';
import type { Tables } from '../schema/tables.ts';
import { inTransaction, type WriteInTransaction } from '../db/transaction.ts';

export interface NewEndpoint extends CheckedEndpoint {
  notes?: string;
  tags?: readonly string[];
}

interface NewMonitors {
  accountId: string;
  checkEveryMinutes: number;
  now: number;
  /**
   * Returns whether the plan permits another monitor besides the `count` existing ones. Called while the account's row is locked.
   */
  mayAdd(plan: Plan, count: number): boolean;
  /** Rules against misuse. Absent if the operator adds the monitors. */
  misuse?: MisuseRules;
  /** Writes of the caller in the same transaction, called with the outcomes in the order of the endpoints. */
  alsoWrite?: WriteInTransaction<AddedMonitor[]>;
}

/** The reason why a monitor was not added. */
export type RefusedMonitor =
  { ok: false; code: 'limit_reached' } | { ok: false; code: 'exists'; existing: Targeted } | Misuse;
export type AddedMonitor = { ok: true; monitor: Monitor } | RefusedMonitor;

/** Adds a monitor that is due at once. Locks the account's row, so that parallel calls cannot exceed the limit together. */
export async function addMonitor(store: Store, request: NewMonitors & NewEndpoint): Promise<AddedMonitor> {
  const [added] = await addMonitors(store, { ...request, endpoints: [request] });
  if (added === undefined) throw new Error('Each endpoint has one outcome');
  return added;
}

/** Adds several monitors like `addMonitor`, in one transaction. Returns the outcomes in the order of the endpoints. */
export async function addMonitors(
  store: Store,
  request: NewMonitors & { endpoints: readonly NewEndpoint[] },
): Promise<AddedMonitor[]> {
  const { accountId, now } = request;
  let hasMail = false;
  const outcomes = await inTransaction(store, async (trx) => {
    const lockedPlan = await lockPlan(store, trx, { accountId, now });
    const tracked = await readTracked(trx, request);
    const made: AddedMonitor[] = [];
    for (const endpoint of request.endpoints) {
      const { notes = '', tags = [] } = endpoint;
      const refused = await refuseAdding(trx, { request, lockedPlan, tracked, endpoint });
      if (refused) made.push(refused);
      else {
        const row = await trx
          .insertInto('monitors')
          .values({
            id: randomUUID(),
            account_id: accountId,
            ...identityOf(endpoint),
            sort_name: sortName(endpoint.host),
            check_every_minutes: request.checkEveryMinutes,
            // Use times one millisecond apart, so that the list and the plan's limit, which sort by age, keep the order of the request.
            created_at: now + made.length,
            next_check_at: now,
            lane: laneOf(tracked.count),
            revoked: 0,
            active: Number(!lockedPlan.disabled),
            notes,
            tags: JSON.stringify(tags),
            search_text: searchText({ ...endpoint, notes, tags }),
          })
          .returningAll()
          .executeTakeFirstOrThrow();
        tracked.add(endpoint);
        made.push({
          ok: true,
          monitor: toMonitor({ ...row, ...NOT_CHECKED }),
        });
      }
    }
    const added = made.flatMap((outcome) => (outcome.ok ? [outcome.monitor] : []));
    hasMail = await queueWelcomeEmail(trx, { accountId, added, now });
    await request.alsoWrite?.(trx, made);
    return made;
  });
  for (const outcome of outcomes)
    if (outcome.ok) announceMonitor(store, outcome.monitor, 'added', { due: true });
  if (hasMail) store.signals.publish({ topic: 'mails' });
  return outcomes;
}

async function refuseAdding(
  trx: Transaction<Tables>,
  { request, lockedPlan, tracked, endpoint }: Adding,
): Promise<RefusedMonitor | null> {
  const { accountId, misuse, now } = request;
  if (tracked.has(endpoint)) return { ok: false, code: 'exists', existing: nameOf(endpoint) };
  if (!request.mayAdd(lockedPlan.plan, tracked.count)) return { ok: false, code: 'limit_reached' };
  if (misuse === undefined) return null;
  const { emailVerified } = lockedPlan;
  return applyMisuseRules(trx, misuse, { accountId, emailVerified, count: tracked.count, endpoint, now });
}

interface Adding {
  request: NewMonitors;
  lockedPlan: LockedPlan;
  tracked: Awaited<ReturnType<typeof readTracked>>;
  endpoint: NewEndpoint;
}

/**
 * Queues a welcome email when an account adds its first domain, so that delivery problems show early.
 * Returns whether it queued one.
 */
async function queueWelcomeEmail(
  trx: Transaction<Tables>,
  { accountId, added, now }: { accountId: string; added: readonly Targeted[]; now: number },
): Promise<boolean> {
  const [first] = added;
  if (first === undefined) return false;
  const account = await trx
    .updateTable('accounts')
    .set({ reached_out_at: now })
    .where('id', '=', accountId)
    .where('reached_out_at', 'is', null)
    .where('kind', '=', 'person')
    .returning('email')
    .executeTakeFirst();
  if (!account) return false;
  const content = { kind: 'reached_you' as const, ...nameOf(first), more: added.length - 1 };
  await enqueueMail(trx, { accountId, recipient: account.email, content, now });
  return true;
}

/** Returns the number of monitors of an account, and a function that returns whether the account monitors one of `endpoints`. */
export async function trackedEndpoints(
  store: Store,
  request: { accountId: string; endpoints: readonly Targeted[] },
): Promise<{ count: number; has(endpoint: Targeted): boolean }> {
  return readTracked(store.db, request);
}

/** Returns the id of the account's monitor of this endpoint; null if there is none. */
export async function findByEndpoint(
  store: Store,
  { accountId, endpoint: { host, port, target = '' } }: { accountId: string; endpoint: Targeted },
): Promise<string | null> {
  const row = await store.db
    .selectFrom('monitors')
    .select('id')
    .where('account_id', '=', accountId)
    .where('host', '=', host)
    .where('port', '=', port)
    .where('target', '=', target)
    .executeTakeFirst();
  return row?.id ?? null;
}

async function readTracked(
  db: Kysely<Tables>,
  { accountId, endpoints }: { accountId: string; endpoints: readonly Targeted[] },
) {
  let count = await countMonitors(db, accountId);
  const hosts = [...new Set(endpoints.map(({ host }) => host))];
  const ofAccount = db.selectFrom('monitors').where('account_id', '=', accountId);
  const rows =
    hosts.length === 0
      ? []
      : await ofAccount.select(['host', 'port', 'target']).where('host', 'in', hosts).execute();
  const known = new Set(rows.map(endpointKey));
  return {
    get count() {
      return count;
    },
    has: (endpoint: Targeted) => known.has(endpointKey(endpoint)),
    add(endpoint: Targeted) {
      known.add(endpointKey(endpoint));
      count += 1;
    },
  };
}

const endpointKey = ({ host, port, target = '' }: Targeted) => `${host} ${port} ${target}`;
