import type { Store } from '../../server/store/db/open-store.ts';
import type { Host } from './hosts.ts';
import type { LedgerEntry } from './ledger-file.ts';

/** What was to be told, held against what arrived. */
export interface Reckoning {
  /** Messages that arrived, repetitions not counted. */
  notifications: number;
  /** Told to nobody, though the product says so or though there was reason to; in words. */
  lost: string[];
  /** Repetitions under the same id. */
  duplicates: number;
  /** Told twice under different ids, or under an id that the product does not know; in words. */
  strange: string[];
  /** Messages that overtook an earlier one about the same incident on the same channel; in words. */
  disordered: string[];
  /** From when it could leave to when it arrived; of messages that nothing but the product held back. */
  waits: number[];
}

/** One channel of one account: what arrived there, and what it is called. */
interface Channel {
  name: string;
  entries: readonly LedgerEntry[];
}

/** Holds the ledgers against the store, and both against what is known of the hosts themselves. */
export async function reckon(world: {
  store: Store;
  /** Of each host that is watched. */
  hosts: readonly Host[];
  channels: readonly Channel[];
}): Promise<Reckoning> {
  const { store, hosts } = world;
  const deliveries = await deliveriesOf(store);
  const channels: Channel[] = [];
  for (const { name, entries } of world.channels)
    channels.push({ name, entries: await alertsAmong(store, entries) });
  const entries = channels.flatMap((channel) => channel.entries);
  const arrived = Map.groupBy(entries, ({ id }) => id);
  const result: Reckoning = {
    notifications: arrived.size,
    lost: [],
    duplicates: entries.length - arrived.size,
    // With a domain that was removed, what was told of it is gone.
    strange: [...arrived]
      .filter(([id, [first]]) => !deliveries.has(id) && hosts.some(({ host }) => names(first, host)))
      .map(([id, [first]]) => `${id} is not known: ${first?.text.slice(0, 80)}`),
    disordered: [],
    waits: [],
  };
  for (const [id, { state, detail, step, host }] of deliveries) {
    if (state === 'superseded') continue;
    if (state !== 'delivered') result.lost.push(`${host} ${step} (${id}) is ${state}: ${detail}`);
    else if (!arrived.has(id)) result.lost.push(`${host} ${step} (${id}) did not arrive`);
  }
  for (const [id, [first]] of arrived) {
    const delivery = deliveries.get(id);
    if (first && delivery) result.waits.push(first.at - delivery.createdAt);
  }
  for (const channel of channels) {
    result.disordered.push(...disorderOf(channel, deliveries));
    for (const host of hosts) result.lost.push(...untold(host, channel, deliveries));
    result.strange.push(...toldTwice(channel));
  }
  return result;
}

interface Delivery {
  state: string;
  detail: string | null;
  step: string;
  incidentId: string | null;
  host: string;
  createdAt: number;
}

/** Message-IDs and webhook-ids name a row by its id. */
export const rowId = (messageId: string) => messageId.replaceAll(/^<|@.*$/g, '');

async function deliveriesOf({ db }: Store): Promise<Map<string, Delivery>> {
  const rows = await db
    .selectFrom('deliveries')
    .innerJoin('alerts', 'alerts.id', 'deliveries.alert_id')
    .innerJoin('monitors', 'monitors.id', 'alerts.monitor_id')
    .select(['message_id', 'state', 'detail', 'step', 'alerts.incident_id', 'host', 'deliveries.created_at'])
    .execute();
  return new Map(
    rows.map((row) => [
      rowId(row.message_id),
      {
        state: row.state,
        detail: row.detail,
        step: row.step,
        host: row.host,
        incidentId: row.incident_id,
        createdAt: row.created_at,
      },
    ]),
  );
}

/** Without links, receipts and the like, which are no alerts; ids are those of rows. */
export async function alertsAmong({ db }: Store, entries: readonly LedgerEntry[]): Promise<LedgerEntry[]> {
  const rows = await db.selectFrom('mails').select('message_id').execute();
  const others = new Set(rows.map((row) => rowId(row.message_id)));
  return entries.map((entry) => ({ ...entry, id: rowId(entry.id) })).filter(({ id }) => !others.has(id));
}

/** The domain comes after the number, so that host1 is not in host10. */
const names = (entry: LedgerEntry | undefined, host: string): boolean => entry?.text.includes(host) ?? false;

/** The first arrivals of an incident's messages come in the order in which the incident went on. */
function disorderOf({ name, entries }: Channel, deliveries: ReadonlyMap<string, Delivery>): string[] {
  const latest = new Map<string, Delivery>();
  const seen = new Set<string>();
  const wrong: string[] = [];
  for (const { id, to } of entries) {
    const delivery = deliveries.get(id);
    if (delivery === undefined || delivery.incidentId === null || seen.has(id)) continue;
    seen.add(id);
    const key = `${delivery.incidentId} ${to}`;
    const before = latest.get(key);
    if (before !== undefined && before.createdAt > delivery.createdAt)
      wrong.push(`${name}: ${delivery.host} ${delivery.step} came after ${before.step}`);
    latest.set(key, delivery);
  }
  return wrong;
}

/** What the certificate itself says must have been told, whatever the product believes. */
function untold(
  { host, fate }: Host,
  { name, entries }: Channel,
  deliveries: ReadonlyMap<string, Delivery>,
): string[] {
  const about = entries.filter((entry) => names(entry, host));
  const steps = about.map(({ id }) => deliveries.get(id)?.step);
  if (about.length === 0) return [`${name}: nothing was told of ${host}`];
  if (fate === 'ended' && !steps.includes('expired'))
    return [`${name}: nobody was told that ${host} has expired, only ${steps.join(', ')}`];
  if (fate === 'renewed' && !steps.includes('resolved'))
    return [`${name}: nobody was told that ${host} was renewed, only ${steps.join(', ')}`];
  return [];
}

/** The same words about the same host under two ids: its reader cannot tell that it is a repetition. */
function toldTwice({ name, entries }: Channel): string[] {
  const ends = entries.filter(({ text }) => /^\S+(?::\d+)? expired on /.test(text));
  const byText = Map.groupBy(ends, ({ text, to }) => `${to}: ${text}`);
  return [...byText]
    .filter(([, same]) => new Set(same.map(({ id }) => id)).size > 1)
    .map(([text]) => `${name}: "${text}" was told under two ids`);
}
