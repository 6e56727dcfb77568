import { sql } from 'kysely';
import type { Store } from '../../server/store/db/open-store.ts';
import { uptimePercents } from '../../server/store/checks/downtime.ts';
import { type Figure, measureRounds, percentile } from './figures.ts';
import { analyzeAndFlush, type MeasuredStore } from './store-variants.ts';
import { listServedCertificates } from '../../server/store/monitors/certificate-list.ts';
import { listMonitors, matchingMonitorIds } from '../../server/store/monitors/monitor-list.ts';
import { dashboardSummary } from '../../server/store/monitors/monitor-summary.ts';
import { DAY_MS } from '../../contract/durations.ts';

const ROUNDS = 100;
const PAGE_SIZE = 50;
const MAX_LIST_MS = 50;
/** Maximum p99 of a search, ms; higher than for a list, because a search scans all monitors of the account. */
const MAX_SEARCH_MS = 150;
const MAX_SUMMARY_MS = 150;

/**
 * Measures the queries of an account's pages, for the largest account and for a small one, because a large account must not
 * slow down a small one.
 */
export async function measureLists({ store, content, now }: MeasuredStore): Promise<Figure[]> {
  // Rows that were only inserted are faster to read than in production, where each check updates them. So update them first.
  await store.db
    .updateTable('monitors')
    .set((eb) => ({ next_check_at: eb('next_check_at', '+', 1), last_checked_at: now }))
    .where('account_id', 'in', [content.largest, content.small ?? ''])
    .execute();
  await shareCertificates(store, content.largest);
  await analyzeAndFlush(store);
  return [
    ...(await measureAccount(store, content.largest, 'the largest account')),
    ...(content.small === null ? [] : await measureAccount(store, content.small, 'a small account')),
  ];
}

/**
 * Gives every five monitors of the account one certificate, namely that of the first of the next five. So the certificate of
 * each monitor changes.
 */
async function shareCertificates({ db }: Store, accountId: string): Promise<void> {
  const inOrder = sql`over (order by host, port)`;
  const next = (column: string) => sql`lead(${sql.ref(column)}, 5, ${sql.ref(column)}) ${inOrder}`;
  const first = (column: string) =>
    sql`first_value(${sql.ref(column)}) over (partition by five order by place)`;
  await sql`update monitors set certificate_fingerprint = shared.fingerprint, not_after = shared.ends_at
    from (select id, ${first('fingerprint')} as fingerprint, ${first('ends_at')} as ends_at
      from (select id, row_number() ${inOrder} as place, (row_number() ${inOrder} - 1) / 5 as five,
          ${next('certificate_fingerprint')} as fingerprint, ${next('not_after')} as ends_at
        from monitors where account_id = ${accountId}) as served) as shared
    where monitors.id = shared.id and monitors.account_id = ${accountId}`.execute(db);
}

async function measureAccount(store: Store, accountId: string, name: string): Promise<Figure[]> {
  const now = Date.now();
  const { total } = await dashboardSummary(store, { accountId, now });
  const last = Math.ceil(total / PAGE_SIZE);
  const page = (query: object) => async (): Promise<void> => {
    const list = { accountId, now, page: 1, pageSize: PAGE_SIZE, sort: 'newest' as const, ...query };
    const { monitors } = await listMonitors(store, list);
    await uptimePercents(store, monitors, now);
  };
  const certificates = (query: object) => () =>
    listServedCertificates(store, {
      accountId,
      now,
      sort: 'soonest',
      after: null,
      limit: PAGE_SIZE,
      ...query,
    });
  const inAMonth = { sort: 'soonest', notAfter: now + 30 * DAY_MS, fingerprint: '' } as const;
  const lists: Record<string, () => Promise<unknown>> = {
    'newest, first page': page({}),
    'soonest, first page': page({ sort: 'soonest' }),
    'by name, first page': page({ sort: 'name' }),
    'worst, first page': page({ sort: 'worst' }),
    'newest, last page': page({ page: last }),
    'soonest, page in the middle': page({ sort: 'soonest', page: Math.ceil(last / 2) }),
    'worst, page in the middle': page({ sort: 'worst', page: Math.ceil(last / 2) }),
    'worst, last page': page({ sort: 'worst', page: last }),
    'by name, page in the middle': page({ sort: 'name', page: Math.ceil(last / 2) }),
    'state ok, by name': page({ status: 'ok', sort: 'name' }),
    'state critical, newest': page({ status: 'critical' }),
    'needs a person, soonest': page({ status: 'problem', sort: 'soonest' }),
    'needs attention, worst': page({ status: 'attention', sort: 'worst' }),
    'one tag': page({ tag: 'prod' }),
    'search, one hit': page({ q: '0000123' }),
    'search, a tenth': page({ q: 'shop', sort: 'name' }),
    'search, all': page({ q: 'example', sort: 'soonest' }),
    'search, all, worst': page({ q: 'example', sort: 'worst' }),
    'search, none': page({ q: 'zebra crossing' }),
    'search, one letter': page({ q: 'j' }),
    'certificates, soonest': certificates({}),
    'certificates, those after a month': certificates({ after: inAMonth }),
    'certificates, by name': certificates({ sort: 'name' }),
    'certificates, most domains': certificates({ sort: 'domains' }),
    'search certificates, one tag': certificates({ tag: 'prod' }),
    'search certificates, a tenth': certificates({ q: 'shop' }),
  };
  const figures: Figure[] = [];
  for (const [what, work] of Object.entries(lists))
    figures.push({
      ...(await figureOf(`${name} (${total.toLocaleString('en')}): ${what}, p99`, work)),
      max: /^(?:search|one tag)/.test(what) ? MAX_SEARCH_MS : MAX_LIST_MS,
    });
  figures.push({
    ...(await figureOf(`${name}: summary with the horizon, p99`, () =>
      dashboardSummary(store, { accountId, now }),
    )),
    max: MAX_SUMMARY_MS,
  });
  figures.push(
    await figureOf(`${name}: 10,000 ids at once, p99`, () =>
      matchingMonitorIds(store, { accountId, now, sort: 'newest', limit: 10_000 }),
    ),
  );
  return figures;
}

async function figureOf(what: string, work: () => Promise<unknown>): Promise<Figure> {
  await measureRounds(3, work);
  return { what, value: percentile(await measureRounds(ROUNDS, work), 0.99), unit: 'ms' };
}
