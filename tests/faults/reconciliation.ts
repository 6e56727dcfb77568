import type { Store } from '../../server/store/db/open-store.ts';
import type { Host } from './hosts.ts';
import type { LedgerEntry } from './ledger-file.ts';

/** Comparison of expected and arrived messages. Problems are described in words. */
export interface Reconciliation {
  /** Number of distinct messages that arrived. */
  notifications: number;
  /** Messages that the store or the certificates say must have arrived, but did not. */
  lost: string[];
  /** Number of repeated arrivals of a message with the same id. */
  duplicates: number;
  /** Messages that arrived twice under different ids, or under an id that the store does not know. */
  strange: string[];
  /** Messages that arrived before an earlier message about the same incident on the same channel. */
  disordered: string[];
  /** Times from the creation of each delivery to its arrival, ms. */
  waits: number[];
}

/** Messages that arrived on one kind of channel. */
interface Channel {
  name: string;
  entries: readonly LedgerEntry[];
}

/** Compares the ledgers with the store, and both with the alerts that the hosts' certificates require. */
export async function reconcile(world: {
  store: Store;
  /** Hosts that the product monitors. */
  hosts: readonly Host[];
  channels: readonly Channel[];
}): Promise<Reconciliation> {
  const { store, hosts } = world;
  const rows = await deliveriesOf(store);
  // Outages that were merged into one message have the same id.
  const deliveries = new Map(rows.map((delivery) => [delivery.id, delivery]));
  const channels: Channel[] = [];
  for (const { name, entries } of world.channels)
    channels.push({ name, entries: await alertsAmong(store, entries) });
  const entries = channels.flatMap((channel) => channel.entries);
  const arrived = Map.groupBy(entries, ({ id }) => id);
  const twice = await reportedTwice(store);
  const result: Reconciliation = {
    notifications: arrived.size,
    lost: [],
    duplicates: entries.length - arrived.size,
    // Removing a domain deletes its deliveries, so only messages about monitored hosts count as unknown.
    strange: [...arrived]
      .filter(([id, [first]]) => !deliveries.has(id) && hosts.some(({ host }) => mentions(first, host)))
      .map(([id, [first]]) => `${id} is unknown to the store: ${first?.text.slice(0, 80)}`),
    disordered: [],
    waits: [],
  };
  result.strange.push(...twice);
  for (const { id, state, detail, step, host, isWebhook, mayBeMerged } of rows) {
    if (state === 'superseded') continue;
    const copies = arrived.get(id);
    if (state !== 'delivered') result.lost.push(`${host} ${step} (${id}) is ${state}: ${detail}`);
    else if (copies === undefined) result.lost.push(`${host} ${step} (${id}) did not arrive`);
    // Checked for webhooks only, because the subject of a mail names only one host.
    else if (isWebhook && mayBeMerged && !copies.some((copy) => mentions(copy, host)))
      result.lost.push(`${host} ${step} (${id}) is not named in its message`);
  }
  for (const [id, [first]] of arrived) {
    const delivery = deliveries.get(id);
    if (first && delivery) result.waits.push(first.at - delivery.createdAt);
  }
  for (const channel of channels) {
    result.disordered.push(...outOfOrder(channel, deliveries));
    for (const host of hosts)
      if (host.lifecycle !== 'down') result.lost.push(...missingAlerts(host, channel, deliveries));
    result.strange.push(...sentUnderTwoIds(channel));
  }
  for (const { host, lifecycle } of hosts) {
    const reported = rows.filter((row) => row.host === host && row.mayBeMerged && row.state === 'delivered');
    if (lifecycle === 'down' && reported.length < channels.length)
      result.lost.push(`${host} is down, which was reported on ${reported.length} channels`);
  }
  return result;
}

interface Delivery {
  /** The id of the message, as the receiver sees it. */
  id: string;
  state: string;
  detail: string | null;
  step: string;
  incidentId: string | null;
  host: string;
  isWebhook: boolean;
  /** Whether it may be merged with others. */
  mayBeMerged: boolean;
  createdAt: number;
}

/** Returns the id of the delivery or mail that a Message-ID or webhook-id contains. */
export const rowId = (messageId: string) => messageId.replaceAll(/^<|@.*$/g, '');

async function deliveriesOf({ db }: Store): Promise<Delivery[]> {
  const rows = await db
    .selectFrom('deliveries')
    .innerJoin('alerts', 'alerts.id', 'deliveries.alert_id')
    .innerJoin('monitors', 'monitors.id', 'alerts.monitor_id')
    .select(['message_id', 'state', 'detail', 'step', 'alerts.incident_id', 'host', 'deliveries.created_at'])
    .select(['deliveries.channel', 'merge_key'])
    .execute();
  return rows.map((row) => ({
    id: rowId(row.message_id),
    state: row.state,
    detail: row.detail,
    step: row.step,
    host: row.host,
    isWebhook: row.channel === 'webhook',
    mayBeMerged: row.merge_key !== null,
    incidentId: row.incident_id,
    createdAt: row.created_at,
  }));
}

/** Returns the entries that are alerts. In the result, `id` is the id of the delivery. */
export async function alertsAmong({ db }: Store, entries: readonly LedgerEntry[]): Promise<LedgerEntry[]> {
  const rows = await db.selectFrom('mails').select('message_id').execute();
  const others = new Set(rows.map((row) => rowId(row.message_id)));
  return entries.map((entry) => ({ ...entry, id: rowId(entry.id) })).filter(({ id }) => !others.has(id));
}

/** Returns descriptions of certificates whose expiry was reported twice at the same step to one account. */
async function reportedTwice({ db }: Store): Promise<string[]> {
  const rows = await db
    .selectFrom('alerts')
    .select(['account_id', 'fingerprint', 'step'])
    .where('kind', '=', 'expiry')
    .groupBy(['account_id', 'fingerprint', 'step'])
    .having((eb) => eb.fn.countAll(), '>', 1)
    .execute();
  return rows.map(({ fingerprint, step }) => `${step} of ${fingerprint} was reported twice`);
}

/** Returns whether an entry mentions a host or a certificate. In host names a dot follows the number, so host1 does not match host10. */
const mentions = (entry: LedgerEntry | undefined, host: string): boolean =>
  entry?.text.includes(host) ?? false;

/** Returns a description of each message that first arrived after a newer message about the same incident. */
function outOfOrder({ name, entries }: Channel, deliveries: ReadonlyMap<string, Delivery>): string[] {
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
      wrong.push(`${name}: ${delivery.host} ${delivery.step} arrived after ${before.step}`);
    latest.set(key, delivery);
  }
  return wrong;
}

/**
 * Returns descriptions of alerts that a certificate requires but that did not arrive, even if the store lacks them. Alerts about other
 * hosts with the same certificate count.
 */
function missingAlerts(
  { certificateName: host, lifecycle }: Host,
  { name, entries }: Channel,
  deliveries: ReadonlyMap<string, Delivery>,
): string[] {
  const entriesAboutHost = entries.filter((entry) => mentions(entry, host));
  const steps = entriesAboutHost.map(({ id }) => deliveries.get(id)?.step);
  if (entriesAboutHost.length === 0) return [`${name}: no alert about ${host} arrived`];
  if (lifecycle === 'ended' && !steps.includes('expired'))
    return [`${name}: no alert that ${host} has expired arrived, only ${steps.join(', ')}`];
  if (lifecycle === 'renewed' && !steps.includes('resolved'))
    return [`${name}: no alert that ${host} was renewed arrived, only ${steps.join(', ')}`];
  return [];
}

/** Returns descriptions of expiry alerts that arrived under two ids. A receiver cannot recognise these as duplicates. */
function sentUnderTwoIds({ name, entries }: Channel): string[] {
  const expiryEntries = entries.filter(({ text }) => /^\S+(?::\d+)? expired on /.test(text));
  const byText = Map.groupBy(expiryEntries, ({ text, to }) => `${to}: ${text.replace(/ \(\d+ hosts\)/, '')}`);
  return [...byText]
    .filter(([, same]) => new Set(same.map(({ id }) => id)).size > 1)
    .map(([text]) => `${name}: "${text}" arrived under two ids`);
}
