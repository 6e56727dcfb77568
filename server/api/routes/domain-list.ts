import { CALLS } from '../../../contract/calls.ts';
import { PAGE_SIZE } from '../../../contract/constants.ts';
import type { DomainFilter } from '../../../contract/domain.ts';
import { listMonitors, monitorIds, summary } from '../../store/monitors.ts';
import type { Api, AppParts } from '../api.ts';
import { domainWire, summaryWire } from '../wire.ts';

/** Many ids are still one answer; nobody selects more by hand. */
const MOST_IDS = 10_000;

/** The domains of an account as a whole. */
export function domainListRoutes(api: Api, { store }: AppParts): void {
  api.on(CALLS.listDomains, async ({ query, session, now }) => {
    const { monitors, total } = await listMonitors(store, {
      accountId: session.account.id,
      ...filterOf(query),
      page: query.page,
      pageSize: PAGE_SIZE,
      sort: query.sort,
      now,
    });
    const data = monitors.map((monitor) => domainWire(monitor, now));
    return { data, page: query.page, page_size: PAGE_SIZE, total };
  });

  api.on(CALLS.domainSummary, async ({ session, now }) => ({
    data: summaryWire(await summary(store, { accountId: session.account.id, now })),
  }));

  api.on(CALLS.domainIds, async ({ query, session, now }) => ({
    data: await monitorIds(store, {
      accountId: session.account.id,
      ...filterOf(query),
      sort: query.sort,
      limit: MOST_IDS,
      now,
    }),
  }));
}

const filterOf = ({ q, status, tag }: DomainFilter) => ({ q, status, tag });
