import { type Expression, type Kysely, type Selectable, sql, type SqlBool } from 'kysely';
import type { ChannelKind } from '../../core/alerting/route.ts';
import { readTarget } from '../../core/target.ts';
import { EXPORT_LIMITS, exportHistoryOf } from '../monitors/domain-export.ts';
import { countMonitors } from '../monitors/monitors.ts';
import type { Store } from '../db/open-store.ts';
import { tablesWith } from '../schema/catalogue.ts';
import type { ListedColumns } from '../schema/catalogue-rules.ts';
import type { MonitorsTable, Tables } from '../schema/tables.ts';
import { parseAccountSettings, parseDomainSettings } from '../alerts/stored-alerts.ts';
import { monitorOf } from '../db/dialect.ts';

/** Returns a string by which the owner recognises a channel, without its secrets. */
type ChannelTarget = (row: { kind: ChannelKind; config: string }) => string;

/**
 * Returns the account's row and whether it had a trial, or undefined if there is no account. Keys are column names;
 * timestamps are in ms UTC.
 */
export async function exportProfile(store: Store, accountId: string) {
  const account = await store.db
    .selectFrom('accounts')
    .selectAll()
    .where('id', '=', accountId)
    .executeTakeFirst();
  const trial = await store.db
    .selectFrom('trials')
    .select('started_at')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return (
    account && {
      ...account,
      email_verified: account.email_verified === 1,
      alert_settings: parseAccountSettings(account.alert_settings),
      had_trial: Boolean(trial),
    }
  );
}

/**
 * Returns an account's data, without its profile, as named lists. They are read while the caller streams them: at most one page of
 * a list, and the history of one domain, is in memory at a time. Omits sessions, identities, and secrets such as token hashes.
 */
export function exportAccountData(
  store: Store,
  account: { id: string; email: string },
  { now, targetOf }: { now: number; targetOf: ChannelTarget },
): Record<string, AsyncIterable<unknown>> {
  const { db } = store;
  const accountId = account.id;
  const lists = Object.fromEntries(
    tablesWith('exported').flatMap(([table, exported]) =>
      typeof exported === 'string' ? [] : [[exported.as ?? table, rowsOf(db, { table, exported, account })]],
    ),
  );
  return {
    ...lists,
    domains: domains(store, accountId, now),
    alerts: alerts(db, accountId),
    channels: withTargets(lists['channels'] ?? pages(() => Promise.resolve([])), targetOf),
    status_pages: statusPages(db, accountId),
  };
}

/** Yields the account's rows of a table, oldest first. */
function rowsOf(
  db: Kysely<Tables>,
  {
    table,
    exported,
    account,
  }: {
    table: keyof Tables;
    exported: ListedColumns;
    account: { id: string; email: string };
  },
): AsyncGenerator<ExportedRow> {
  const { columns, at = 'created_at', key = 'id', json = [], flags = [] } = exported;
  const { id, email } = account;
  // Mails from before the account existed have no `account_id`.
  const earlier = sql<boolean>`account_id is null and recipient = ${email}`;
  return pages(async (after) => {
    const { rows } = await sql<ExportedRow>`select ${sql.join([
      sql`${sql.ref(key)} as id, ${sql.ref(at)} as created_at`,
      ...columns.map((column) => sql.ref(column)),
    ])} from ${sql.table(table)}
      where (account_id = ${id}${table === 'mails' ? sql` or ${earlier}` : sql``}) and ${isAfter(after, at, key)}
      order by ${sql.ref(at)}, ${sql.ref(key)} limit ${PAGE_SIZE}`.execute(db);
    return rows.map((row) => ({
      ...row,
      ...Object.fromEntries(json.map((column) => [column, JSON.parse(String(row[column])) as unknown])),
      ...Object.fromEntries(flags.map((column) => [column, row[column] === 1])),
    }));
  });
}

async function* withTargets(channels: AsyncIterable<ExportedRow>, targetOf: ChannelTarget): AsyncGenerator {
  for await (const { config, ...channel } of channels)
    yield {
      ...channel,
      leads_to: targetOf({ kind: channel['kind'] as ChannelKind, config: String(config) }),
    };
}

const PAGE_SIZE = 200;

interface Cursor {
  created_at: number;
  id: string;
}
interface ExportedRow extends Cursor {
  [column: string]: unknown;
}

function isAfter({ created_at, id }: Cursor, at: string, by = 'id'): Expression<SqlBool> {
  return sql<boolean>`(${sql.ref(at)}, ${sql.ref(by)}) > (${created_at}, ${id})`;
}

/** Yields all rows of a list, oldest first, reading one page at a time. */
async function* pages<Row extends Cursor>(read: (after: Cursor) => Promise<Row[]>): AsyncGenerator<Row> {
  let after: Cursor = { created_at: 0, id: '' };
  for (;;) {
    const rows = await read(after);
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < PAGE_SIZE) return;
    after = last;
  }
}

/** Yields the account's status page, if it has one, with the labels of its domains. */
async function* statusPages(db: Kysely<Tables>, accountId: string): AsyncGenerator {
  const page = await db
    .selectFrom('status_pages')
    .selectAll()
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (!page) return;
  const domains = await db
    .selectFrom('status_page_domains')
    .select(['monitor_id', 'label'])
    .where('account_id', '=', accountId)
    .orderBy('place')
    .execute();
  yield { ...page, domains };
}

function alerts(db: Kysely<Tables>, accountId: string): AsyncIterable<unknown> {
  return pages(async (after) => {
    const page = await db
      .selectFrom('alerts')
      .leftJoin('monitors', monitorOf('alerts'))
      .select(['alerts.id', 'alerts.kind', 'alerts.step', 'alerts.fingerprint', 'alerts.severity'])
      .select(['alerts.facts', 'alerts.created_at', 'monitors.host', 'monitors.port', 'monitors.target'])
      .where('alerts.account_id', '=', accountId)
      .where(isAfter(after, 'alerts.created_at', 'alerts.id'))
      .orderBy('alerts.created_at')
      .orderBy('alerts.id')
      .limit(PAGE_SIZE)
      .execute();
    if (page.length === 0) return [];
    const deliveries = await db
      .selectFrom('deliveries')
      .select(['id', 'alert_id', 'channel', 'state', 'attempts', 'detail', 'created_at', 'settled_at'])
      .where('account_id', '=', accountId)
      .where(
        'alert_id',
        'in',
        page.map(({ id }) => id),
      )
      .orderBy('created_at')
      .execute();
    const attempts = await db
      .selectFrom('delivery_attempts')
      .innerJoin('deliveries', (join) =>
        join
          .onRef('deliveries.account_id', '=', 'delivery_attempts.account_id')
          .onRef('deliveries.id', '=', 'delivery_attempts.delivery_id'),
      )
      .select(['delivery_id', 'attempt', 'started_at', 'finished_at', 'outcome', 'delivery_attempts.detail'])
      .where('deliveries.account_id', '=', accountId)
      .where(
        'deliveries.alert_id',
        'in',
        page.map(({ id }) => id),
      )
      .orderBy('attempt')
      .execute();
    const attemptsOf = Map.groupBy(attempts, ({ delivery_id: delivery }) => delivery);
    const deliveriesOf = Map.groupBy(deliveries, ({ alert_id: alert }) => alert);
    return page.map((alert) => ({
      ...alert,
      facts: JSON.parse(alert.facts) as unknown,
      deliveries: (deliveriesOf.get(alert.id) ?? []).map((delivery) => ({
        ...delivery,
        attempts: attemptsOf.get(delivery.id) ?? [],
      })),
    }));
  });
}

async function* domains(store: Store, accountId: string, now: number): AsyncGenerator {
  const { db } = store;
  const count = await countMonitors(db, accountId);
  const { checksInAll, checksOfADomain, leastChecksOfADomain } = EXPORT_LIMITS;
  const share = Math.floor(checksInAll / Math.max(1, count));
  const limit = Math.max(leastChecksOfADomain, Math.min(checksOfADomain, share));
  const monitors = pages((after) =>
    db
      .selectFrom('monitors')
      .selectAll()
      .where('account_id', '=', accountId)
      .where(isAfter(after, 'created_at'))
      .orderBy('created_at')
      .orderBy('id')
      .limit(PAGE_SIZE)
      .execute(),
  );
  for await (const monitor of monitors)
    yield {
      ...settingsOf(monitor),
      ...(await exportHistoryOf(db, { accountId, monitorId: monitor.id }, { limit, now })),
    };
}

function settingsOf(monitor: Selectable<MonitorsTable>) {
  return {
    id: monitor.id,
    host: monitor.host,
    port: monitor.port,
    protocol: monitor.protocol,
    target: monitor.target === '' ? null : readTarget(monitor.target),
    notes: monitor.notes,
    tags: JSON.parse(monitor.tags) as unknown,
    check_every_minutes: monitor.check_every_minutes,
    active: monitor.active === 1,
    paused_by: monitor.paused_by,
    paused_at: monitor.paused_at,
    created_at: monitor.created_at,
    last_checked_at: monitor.last_checked_at,
    next_check_at: monitor.next_check_at,
    unreachable_since: monitor.unreachable_since,
    uptime: monitor.uptime,
    uptime_since: monitor.uptime_since,
    down_since: monitor.down_since,
    alert_settings: parseDomainSettings(monitor.alert_settings),
  };
}
