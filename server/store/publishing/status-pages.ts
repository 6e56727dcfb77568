import type { Targeted } from '../../core/target.ts';
import type { Kysely, Selectable, Transaction } from 'kysely';
import { lockPlan } from '../billing/entitlements.ts';
import { isDownIncident } from '../alerts/incidents.ts';
import { findMonitors, matchingEndpoints } from '../monitors/monitor-list.ts';
import type { Monitor } from '../monitors/monitor-row.ts';
import type { Store } from '../db/open-store.ts';
import type { StatusPagesTable, Tables } from '../schema/tables.ts';
import { inTransaction } from '../db/transaction.ts';
import { storedStrings } from '../db/stored-json.ts';

/** The title and contents that an account has chosen for its status page. */
export interface StatusPageChoices {
  title: string;
  shows: StatusPagesTable['shows'];
  /** Tags of the domains to show if `shows` is `tags`, in lower case. */
  tags: string[];
  /**
   * Labels of domains; with an empty label the page shows the host name. If `shows` is `chosen`, these are also the domains to
   * show, in this order.
   */
  domains: { id: string; label: string }[];
  showCertificates: boolean;
  showUptime: boolean;
  showIncidents: boolean;
}

export interface StatusPage extends StatusPageChoices {
  slug: string;
  enabled: boolean;
  listed: boolean;
  changedAt: number;
}

/** Returns the account's status page, enabled or not; null if it has none. */
export async function findStatusPage(store: Store, accountId: string): Promise<StatusPage | null> {
  return pageOf(store.db, accountId);
}

async function pageOf(db: Kysely<Tables>, accountId: string): Promise<StatusPage | null> {
  const row = await db
    .selectFrom('status_pages')
    .selectAll()
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row ? toPage(row, await labelsOf(db, accountId)) : null;
}

async function labelsOf(db: Kysely<Tables>, accountId: string): Promise<StatusPage['domains']> {
  return db
    .selectFrom('status_page_domains')
    .select(['monitor_id as id', 'label'])
    .where('account_id', '=', accountId)
    .orderBy('place')
    .execute();
}

function toPage(row: Selectable<StatusPagesTable>, domains: StatusPage['domains']): StatusPage {
  return {
    slug: row.slug,
    enabled: row.enabled === 1,
    listed: row.listed === 1,
    title: row.title,
    shows: row.shows,
    tags: storedStrings(row.tags),
    domains,
    showCertificates: row.show_certificates === 1,
    showUptime: row.show_uptime === 1,
    showIncidents: row.show_incidents === 1,
    changedAt: row.changed_at,
  };
}

/** Returns the public page with this slug; null if there is none, it is disabled, or its account is disabled. */
export async function findPublicPage(
  store: Store,
  slug: string,
): Promise<{ accountId: string; title: string; listed: boolean; changedAt: number } | null> {
  const row = await store.db
    .selectFrom('status_pages')
    .innerJoin('accounts', 'accounts.id', 'status_pages.account_id')
    .select(['status_pages.account_id', 'title', 'listed', 'changed_at'])
    .where('slug', '=', slug)
    .where('enabled', '=', 1)
    .where('accounts.disabled_at', 'is', null)
    .executeTakeFirst();
  return row
    ? { accountId: row.account_id, title: row.title, listed: row.listed === 1, changedAt: row.changed_at }
    : null;
}

/** Returns whether the account may use this slug: no other account has it, not even for a disabled page. */
export async function isSlugFree(
  store: Store,
  { slug, accountId }: { slug: string; accountId: string },
): Promise<boolean> {
  const row = await store.db
    .selectFrom('status_pages')
    .select('account_id')
    .where('slug', '=', slug)
    .executeTakeFirst();
  return row === undefined || row.account_id === accountId;
}

export type SavedPage =
  { ok: true; page: StatusPage } | { ok: false; code: 'address_taken' | 'incomplete' | 'not_found' };

const DEFAULTS: Omit<StatusPage, 'slug' | 'title' | 'changedAt'> = {
  enabled: false,
  listed: false,
  shows: 'all',
  tags: [],
  domains: [],
  showCertificates: true,
  showUptime: true,
  showIncidents: true,
};

/**
 * Creates or changes the account's status page. Returns `address_taken` if another account's page has the slug, `incomplete` if a
 * new page has no title or slug, and `not_found` if a domain does not belong to the account.
 */
export async function saveStatusPage(
  store: Store,
  { accountId, change, now }: { accountId: string; change: Partial<StatusPage>; now: number },
): Promise<SavedPage> {
  return inTransaction(store, async (trx): Promise<SavedPage> => {
    // Serialise parallel changes of one account.
    await lockPlan(store, trx, { accountId, now });
    const previous = await pageOf(trx, accountId);
    const { slug, title, ...rest } = { ...DEFAULTS, ...previous, ...change };
    if (slug === undefined || title === undefined) return { ok: false, code: 'incomplete' };
    const page: StatusPage = {
      ...rest,
      slug,
      title,
      changedAt: Math.max(now, (previous?.changedAt ?? 0) + 1),
    };
    const holder = await trx
      .selectFrom('status_pages')
      .select('account_id')
      .where('slug', '=', slug)
      .executeTakeFirst();
    if (holder && holder.account_id !== accountId) return { ok: false, code: 'address_taken' };
    if (change.domains && !(await ownsAll(trx, accountId, change.domains)))
      return { ok: false, code: 'not_found' };
    await writePage(trx, { accountId, page, now, withDomains: change.domains !== undefined });
    return { ok: true, page };
  });
}

async function ownsAll(
  trx: Transaction<Tables>,
  accountId: string,
  domains: StatusPage['domains'],
): Promise<boolean> {
  if (domains.length === 0) return true;
  const { count } = await trx
    .selectFrom('monitors')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where(
      'id',
      'in',
      domains.map(({ id }) => id),
    )
    .executeTakeFirstOrThrow();
  return count === domains.length;
}

async function writePage(
  trx: Transaction<Tables>,
  request: { accountId: string; page: StatusPage; now: number; withDomains: boolean },
): Promise<void> {
  const { accountId, page, now, withDomains } = request;
  const columns = {
    slug: page.slug,
    enabled: Number(page.enabled),
    listed: Number(page.listed),
    title: page.title,
    shows: page.shows,
    tags: JSON.stringify(page.tags),
    show_certificates: Number(page.showCertificates),
    show_uptime: Number(page.showUptime),
    show_incidents: Number(page.showIncidents),
    changed_at: page.changedAt,
  };
  await trx
    .insertInto('status_pages')
    .values({ account_id: accountId, created_at: now, ...columns })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(columns))
    .execute();
  if (!withDomains) return;
  await trx.deleteFrom('status_page_domains').where('account_id', '=', accountId).execute();
  if (page.domains.length === 0) return;
  await trx
    .insertInto('status_page_domains')
    .values(
      page.domains.map(({ id, label }, place) => ({ account_id: accountId, monitor_id: id, place, label })),
    )
    .execute();
}

export interface PageEndpoint extends Targeted {
  id: string;
}

/**
 * Returns at most `max` monitors of a page, the number of further ones, and the endpoints that `isShown` excludes. Chosen domains
 * keep their order. If not all others fit, those that need attention come first, in the order `worst`.
 */
export async function listPageMonitors(
  store: Store,
  request: {
    accountId: string;
    choices: StatusPageChoices;
    isShown: (endpoint: PageEndpoint) => boolean;
    max: number;
    now: number;
  },
): Promise<{ monitors: Monitor[]; more: number; leftOut: PageEndpoint[] }> {
  const { accountId, choices, isShown, max, now } = request;
  if (choices.shows === 'chosen') {
    const ids = choices.domains.map(({ id }) => id).slice(0, max);
    return { monitors: await findMonitors(store, { accountId, ids }), more: 0, leftOut: [] };
  }
  const tags = choices.shows === 'all' ? [undefined] : choices.tags;
  // Filter here and not in the database: only the address policy knows which names are private.
  const found = new Map<string, PageEndpoint>();
  for (const tag of tags)
    for (const endpoint of await matchingEndpoints(store, { accountId, now, tag, sort: 'name' }))
      found.set(endpoint.id, endpoint);
  const shown = new Set([...found.values()].filter(isShown).map(({ id }) => id));
  const leftOut = [...found.values()].filter(({ id }) => !shown.has(id));
  const query = { accountId, now, status: 'attention', sort: 'worst' } as const;
  const worst = shown.size > max ? await matchingEndpoints(store, query) : [];
  const unhealthy = worst.map(({ id }) => id).filter((id) => shown.has(id));
  const ids = [...new Set([...unhealthy, ...shown])].slice(0, max);
  return { monitors: await findMonitors(store, { accountId, ids }), more: shown.size - ids.length, leftOut };
}

/** A period in which a monitor of the page was down. Times are in ms UTC. */
export interface Downtime {
  monitorId: string;
  startedAt: number;
  endedAt: number | null;
}

/**
 * Lists at most `max` downtimes of these monitors that lasted beyond `from` (ms UTC): open incidents first, then newest first.
 */
export async function listDowntime(
  store: Store,
  request: { accountId: string; monitorIds: readonly string[]; from: number; max: number },
): Promise<Downtime[]> {
  const { accountId, monitorIds: ids, from, max } = request;
  if (ids.length === 0) return [];
  const rows = await store.db
    .selectFrom('incident_members')
    .select(['monitor_id', 'started_at', 'ended_at'])
    .where('account_id', '=', accountId)
    .where('monitor_id', 'in', ids)
    .where(isDownIncident)
    .where((eb) => eb.or([eb('ended_at', 'is', null), eb('ended_at', '>', from)]))
    .orderBy((eb) => eb.case().when('ended_at', 'is', null).then(0).else(1).end())
    .orderBy('started_at', 'desc')
    .orderBy('id')
    .limit(max)
    .execute();
  return rows.map((row) => ({
    monitorId: row.monitor_id,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  }));
}
