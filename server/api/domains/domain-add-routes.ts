import { CALLS } from '../../../contract/calls/calls.ts';
import { DEFAULT_CHECK_EVERY_MINUTES } from '../../../contract/words.ts';
import { mayAdd, normaliseEndpoint } from '../../core/index.ts';
import { monitorOf, removeMonitor } from '../../store/monitors/monitors.ts';
import { type Api, type AppParts, endpointPolicy } from '../http/api.ts';
import { refusalToAdd } from './domain-refusals.ts';
import { domainWire, isRefusedByPolicy, oneDomainWire, REFUSED_HOST } from './domain-wire.ts';
import { refuse } from '../http/problem.ts';
import { misuseRules } from '../auth/verified-address.ts';
import type { Store } from '../../store/db/open-store.ts';
import { waitForNews } from '../http/wait-for-news.ts';
import type { Monitor } from '../../store/monitors/monitor-row.ts';
import { addMonitor } from '../../store/monitors/monitor-adding.ts';

/** Adding one host: its first check is waited for, so that what cannot be checked is said at once. */
export function domainAddRoute(api: Api, parts: AppParts): void {
  const { store, limits, config, timing, readiness } = parts;
  const policy = endpointPolicy(parts);

  api.on(CALLS.addDomain, async ({ body, session, once, now }) => {
    const accountId = session.account.id;
    const limited = limits.allow('addByAccount', accountId);
    if (limited) return limited;
    const normalised = normaliseEndpoint(body.host, policy);
    if (!normalised.ok) return refuse('invalid_host', normalised.message);
    const { host, port, protocol } = normalised.endpoint;

    // Listening starts before the row exists: the worker can be faster than this function.
    const patience = { timeoutMs: timing.firstCheckMs, signal: readiness.draining };
    const firstCheck = watchFirstCheck(store, { accountId, ...patience });
    try {
      const added = await addMonitor(store, {
        accountId,
        host,
        port,
        protocol,
        checkEveryMinutes: DEFAULT_CHECK_EVERY_MINUTES,
        now,
        mayAdd,
        misuse: misuseRules(config),
        // As it stands before its first check: what is answered in the end takes its place.
        alongside: async (trx, [outcome]) => {
          if (outcome?.ok) await once.keep(trx, { data: domainWire(outcome.monitor, { now }) });
        },
      });
      if (!added.ok) return refusalToAdd(added, config.limits);
      const monitor = (await firstCheck.of(added.monitor.id)) ?? added.monitor;
      if (isRefusedByPolicy(monitor)) {
        await removeMonitor(store, { accountId, monitorId: monitor.id });
        return refuse('host_refused', REFUSED_HOST);
      }
      return { data: await oneDomainWire(store, monitor, parts.clock.now()) };
    } finally {
      firstCheck.stop();
    }
  });
}

/** Waits for the result of a monitor's first check, until `signal` fires at the latest. */
function watchFirstCheck(
  store: Store,
  { accountId, timeoutMs, signal }: { accountId: string; timeoutMs: number; signal: AbortSignal },
) {
  const news = waitForNews(store, (signal) => signal.topic === 'domain' && signal.accountId === accountId);
  return {
    /** The monitor once it has been checked; null when that did not happen in time, or it is gone. */
    async of(monitorId: string): Promise<Monitor | null> {
      const ended = await news.until(
        async () => {
          const monitor = await monitorOf(store, { accountId, monitorId });
          return monitor === null || monitor.lastCheckedAt !== null ? { monitor } : null;
        },
        { timeoutMs, signal },
      );
      return ended?.monitor ?? null;
    },
    stop: news.stop,
  };
}
