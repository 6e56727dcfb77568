import { CALLS } from '../../../contract/calls.ts';
import { PAGE_SIZE } from '../../../contract/constants.ts';
import type { DomainFilter } from '../../../contract/domain.ts';
import { placeOf } from '../../store/monitors/list-place.ts';
import { looksForText } from '../../store/monitors/monitor-filter.ts';
import { eachMonitor, listMonitors, monitorIds, summary } from '../../store/monitors/monitors.ts';
import { lagging } from '../../store/db/replica.ts';
import type { Api, AppParts } from '../http/api.ts';
import { monitorPlace, writeCursor } from '../http/cursor.ts';
import { domainsCsv } from './domain-csv.ts';
import { domainWires } from './domain-wires.ts';
import { download } from '../http/download.ts';
import { Refusal } from '../http/problem.ts';
import { summaryWire } from '../http/wire.ts';

/** Many ids are still one answer; nobody selects more by hand. */
const MOST_IDS = 10_000;

/** The domains of an account as a whole. */
export function domainListRoutes(api: Api, { store, limits }: AppParts): void {
  const limitSearches = (accountId: string, filter: DomainFilter): Refusal | null =>
    looksForText(filter) ? limits.allow('searchesByAccount', accountId) : null;

  api.on(CALLS.listDomains, async ({ query, session, now }) => {
    const { page, sort, limit: pageSize = PAGE_SIZE } = query;
    const after = monitorPlace(query.cursor, sort);
    if (after instanceof Refusal) return after;
    const limited = limitSearches(session.account.id, query);
    if (limited) return limited;
    const { monitors, total } = await listMonitors(store, {
      accountId: session.account.id,
      ...filterOf(query),
      page,
      pageSize,
      sort,
      after,
      now,
    });
    const data = await domainWires(store, monitors, now);
    const last = monitors.length < pageSize ? undefined : monitors.at(-1);
    return {
      data,
      page: after === null ? page : null,
      page_size: pageSize,
      total,
      next_cursor: last ? writeCursor(placeOf(last, sort)) : null,
    };
  });

  api.on(CALLS.domainSummary, async ({ session, now }) => ({
    data: summaryWire(await summary(store, { accountId: session.account.id, now })),
  }));

  api.on(CALLS.domainIds, async ({ query, session, now }) => {
    const accountId = session.account.id;
    const limited = limitSearches(accountId, query);
    if (limited) return limited;
    return {
      data: await monitorIds(store, {
        accountId,
        ...filterOf(query),
        sort: query.sort,
        limit: MOST_IDS,
        now,
      }),
    };
  });

  api.on(CALLS.exportDomains, async ({ c, query, session, now }) => {
    const accountId = session.account.id;
    const limited = limits.allow('csvByAccount', accountId) ?? limitSearches(accountId, query);
    if (limited) return limited;
    const monitors = eachMonitor(lagging(store), { accountId, ...filterOf(query), sort: query.sort, now });
    return download(c, {
      contentType: 'text/csv; charset=UTF-8; header=present',
      name: 'certlantern-domains',
      extension: 'csv',
      text: domainsCsv(monitors, now),
      now,
    });
  });
}

const filterOf = ({ q, status, tag }: DomainFilter) => ({ q, status, tag });
