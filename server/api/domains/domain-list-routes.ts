import { CALLS } from '../../../contract/calls/calls.ts';
import { periodBounds } from '../../../contract/durations.ts';
import { PAGE_SIZE } from '../../../contract/words.ts';
import { isProblem, TARGET_FIELDS } from '../../../contract/check-words.ts';
import type { DomainFilter, DomainWire } from '../../../contract/domain.ts';
import { eachMonitor, listMonitors, matchingMonitorIds } from '../../store/monitors/monitor-list.ts';
import { isSearch } from '../../store/monitors/monitor-filter.ts';
import { monitorGroups } from '../../store/monitors/monitor-groups.ts';
import { onReplica } from '../../store/db/replica.ts';
import type { Api, AppParts } from '../http/api.ts';
import { readMonitorCursor, writeCursor } from '../http/cursor.ts';
import { domainWire, domainWires, summaryWire } from './domain-wire.ts';
import { respondWithFile } from '../http/download.ts';
import { Refusal } from '../http/problem.ts';
import { daysLeft } from '../../../contract/state/badge.ts';
import { limitingMessage } from '../../core/check/problems.ts';
import { CSV_START, type CsvCell, csvRecord } from '../../core/csv.ts';
import { oneLine } from '../../core/one-line.ts';
import { dashboardSummary } from '../../store/monitors/monitor-summary.ts';

/** Maximum number of ids in an answer, about 400 kB. People do not select more by hand. */
const MAX_IDS = 10_000;

/** Lists, searches, summarises and exports the domains of an account. */
export function domainListRoutes(api: Api, { store, limits, answers }: AppParts): void {
  const limitSearches = (accountId: string, filter: DomainFilter): Refusal | null =>
    isSearch(filter) ? limits.allow('searchesByAccount', accountId) : null;

  api.on(CALLS.listDomains, async ({ c, query, session, now }) => {
    const { page, sort, direction, limit: pageSize = PAGE_SIZE } = query;
    const accountId = session.account.id;
    const after = readMonitorCursor(query.cursor, sort);
    if (after instanceof Refusal) return after;
    const limited = limitSearches(accountId, query);
    if (limited) return limited;
    return answers.respond(c, { call: CALLS.listDomains, accountId, query }, async () => {
      const list = { accountId, ...filterOf(query), page, pageSize, sort, direction, after, now };
      const { monitors, total, next } = await listMonitors(store, list);
      return {
        data: await domainWires(store, monitors, now),
        page: after === null ? page : null,
        page_size: pageSize,
        total,
        next_cursor: next && writeCursor(next),
      };
    });
  });

  api.on(CALLS.domainSummary, async ({ c, session, now }) => {
    const accountId = session.account.id;
    return answers.respond(c, { call: CALLS.domainSummary, accountId }, async () => ({
      data: summaryWire(await dashboardSummary(store, { accountId, now })),
    }));
  });

  api.on(CALLS.domainIds, async ({ query, session, now }) => {
    const accountId = session.account.id;
    const limited = limitSearches(accountId, query);
    if (limited) return limited;
    const { sort, direction } = query;
    const filter = { accountId, ...filterOf(query), sort, direction };
    const { expiryDays, ...found } = await matchingMonitorIds(store, { ...filter, limit: MAX_IDS, now });
    return { data: { ...found, expiry_days: expiryDays.map(isoDay) } };
  });

  api.on(CALLS.domainGroups, async ({ query: { by, sort, ...filter }, session, now }) => {
    const accountId = session.account.id;
    const groups = { accountId, ...filterOf(filter), by, isWorstFirst: sort === 'worst', now };
    return { data: await monitorGroups(store, groups) };
  });

  api.on(CALLS.exportDomains, async ({ c, query, session, now }) => {
    const accountId = session.account.id;
    const limited = limitSearches(accountId, query);
    if (limited) return limited;
    const { sort, direction } = query;
    const list = { accountId, ...filterOf(query), sort, direction, now };
    const monitors = eachMonitor(onReplica(store), list);
    return respondWithFile(c, {
      contentType: 'text/csv; charset=UTF-8; header=present',
      name: 'certlantern-domains',
      extension: 'csv',
      text: domainsCsv(monitors, now),
      now,
    });
  });
}

const isoDay = (instant: number): string => new Date(instant).toISOString().slice(0, 10);
/** Maps the filter of a request to that of the store. */
export const filterOf = ({ q, status, tag, expires, issuer, without }: DomainFilter) => ({
  q,
  status,
  tag,
  expires: expires === undefined ? undefined : periodBounds(expires),
  issuer,
  without,
});

/** Columns of the CSV file. Text from certificates is cut to one short line. */
const COLUMNS: Record<string, (domain: DomainWire, now: number) => CsvCell> = {
  host: ({ hostname }) => hostname,
  port: ({ port }) => port,
  state: ({ state }) => state,
  days_left: ({ expiry_date: end }, now) => end && daysLeft(Date.parse(end), now),
  issuer: ({ issuer }) => issuer && oneLine(issuer),
  subject: ({ subject }) => subject && oneLine(subject),
  valid_from: (domain) => domain.valid_from,
  expiry_date: (domain) => domain.expiry_date,
  revocation: ({ revocation }) => revocation.state,
  trusted: (domain) => domain.trusted,
  last_checked_at: (domain) => domain.last_checked_at,
  check_every_minutes: (domain) => domain.check_every_minutes,
  paused: (domain) => domain.paused,
  tags: ({ tags }) => tags.join(', '),
  notes: ({ notes }) => notes,
  problem: problemSentence,
  // Add new columns at the end, because programs may read columns by position.
  protocol: ({ protocol }) => protocol,
  uptime: ({ uptime }) => uptime.state,
  down_since: ({ uptime }) => uptime.down_since,
  response_ms: ({ uptime }) => uptime.response_ms,
  ...Object.fromEntries(
    TARGET_FIELDS.map((field) => [field, ({ target }: DomainWire) => target?.[field] ?? null]),
  ),
  attention: ({ attention }) => attention,
  next_renewal: ({ next_renewal: next }) => next?.outcome ?? null,
  next_renewal_expected_at: ({ next_renewal: next }) => next?.expected_at ?? null,
  next_renewal_problem: ({ next_renewal: next }) => next?.line ?? null,
};

/**
 * Returns what is wrong with a domain: why the last check failed, the worst finding that is a problem today, or why the host is down. Null
 * for a paused domain, like on the page, because its problem may be fixed by now.
 */
function problemSentence(domain: DomainWire): string | null {
  const { paused, attention, unreachable, findings, uptime, weakest_link: weakest } = domain;
  if (paused !== null) return null;
  const outage = unreachable?.message ?? uptime.cause;
  if (outage !== null && (unreachable !== null || attention === 'down')) return outage;
  const finding = findings.find(isProblem);
  if (finding || weakest === null || attention !== 'flawed') return finding?.message ?? outage;
  return limitingMessage({ name: weakest.name, notAfter: Date.parse(weakest.expiry_date) });
}

/** Yields the header and one record per domain of a CSV file. `now` is ms UTC. */
async function* domainsCsv(
  monitors: ReturnType<typeof eachMonitor>,
  now: number,
): AsyncGenerator<string, void, undefined> {
  yield CSV_START + csvRecord(Object.keys(COLUMNS));
  for await (const monitor of monitors) {
    const domain = domainWire(monitor, { now, downCause: monitor.downCause });
    yield csvRecord(Object.values(COLUMNS).map((cell) => cell(domain, now)));
  }
}
