import { CALLS } from '../../../contract/calls/calls.ts';
import { measuredDomains } from '../../store/accounts/account-metrics.ts';
import { lagging } from '../../store/db/replica.ts';
import { createAnswerCache } from '../http/answer-cache.ts';
import type { Api, AppParts } from '../http/api.ts';
import { accountMetricsText, PROMETHEUS_TEXT } from './prometheus-text.ts';
import { countMonitors } from '../../store/monitors/monitor-total.ts';

/** How long an account's metrics are cached, however often they are scraped. */
const KEPT_MS = 10_000;
/** So many domains make about 9 MB of text. */
const MOST_DOMAINS = 10_000;
const MOST_KEPT_CHARACTERS = 32_000_000;

/** Serves an account's metrics to Prometheus. */
export function accountMetricsRoute(api: Api, { store, clock, limits }: AppParts): void {
  const cache = createAnswerCache<string>({
    clock,
    keptMs: KEPT_MS,
    mostWeight: MOST_KEPT_CHARACTERS,
    weigh: (text) => text.length,
  });
  api.on(CALLS.accountMetrics, async ({ c, session: { account }, now }) => {
    const limited = limits.allow('metricsByAccount', account.id);
    if (limited) return limited;
    const text = await cache.get(account.id, async () => {
      const domains = await measuredDomains(lagging(store), { accountId: account.id, most: MOST_DOMAINS });
      const total =
        domains.length < MOST_DOMAINS ? domains.length : await countMonitors(store.db, account.id);
      return accountMetricsText(domains, { total, now });
    });
    return c.body(text, 200, { 'Content-Type': PROMETHEUS_TEXT });
  });
}
