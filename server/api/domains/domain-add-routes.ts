import type { Context } from 'hono';
import { CALLS } from '../../../contract/calls/calls.ts';
import { DEFAULT_CHECK_EVERY_MINUTES } from '../../../contract/words.ts';
import { displayName, normaliseEndpoint } from '../../core/endpoint.ts';
import { mayAdd } from '../../core/plan.ts';
import { findMonitor, removeMonitor } from '../../store/monitors/monitors.ts';
import { type Api, type AppParts, endpointPolicy } from '../http/api.ts';
import { refusalToAdd } from './domain-refusals.ts';
import { domainWire, isRefusedByPolicy, oneDomainWire, REFUSED_HOST } from './domain-wire.ts';
import { refuse } from '../http/problem.ts';
import { misuseRules } from '../auth/verified-address.ts';
import type { Store } from '../../store/db/open-store.ts';
import { waitForSignal } from '../http/wait-for-signal.ts';
import type { Monitor } from '../../store/monitors/monitor-row.ts';
import { addMonitor, findByEndpoint } from '../../store/monitors/monitor-adding.ts';

/**
 * Adds one host and waits up to `timing.firstCheckMs` for its first check, to answer with the result or refuse a private address.
 * If a client prefers not to wait, the list shows such a host. A client can look the host up before adding it.
 */
export function domainAddRoutes(api: Api, parts: AppParts): void {
  const { store, config, timing, readiness } = parts;
  const policy = endpointPolicy(parts);

  api.on(CALLS.lookUpHost, async ({ query, session: { account } }) => {
    const normalised = normaliseEndpoint(query.host, policy, query);
    if (!normalised.ok) return refuse('invalid_host', normalised.message);
    const { endpoint } = normalised;
    const [domainId, inDns] = await Promise.all([
      findByEndpoint(store, { accountId: account.id, endpoint }),
      parts.isInDns(endpoint),
    ]);
    return { data: { display_name: displayName(endpoint), domain_id: domainId, in_dns: inDns } };
  });

  api.on(CALLS.addDomain, async ({ c, body, session, idempotency, now }) => {
    const accountId = session.account.id;
    const normalised = normaliseEndpoint(body.host, policy, body);
    if (!normalised.ok) return refuse('invalid_host', normalised.message);

    // Subscribe before the row exists: the worker may finish the check before this function continues.
    const waitOptions = { timeoutMs: timing.firstCheckMs, signal: readiness.draining };
    const firstCheck = watchFirstCheck(store, { accountId, ...waitOptions });
    try {
      const added = await addMonitor(store, {
        accountId,
        ...normalised.endpoint,
        checkEveryMinutes: DEFAULT_CHECK_EVERY_MINUTES,
        now,
        mayAdd,
        misuse: misuseRules(config),
        // Store this answer now: if the process dies while it waits for the first check, a retry gets it, without the check's
        // result.
        alsoWrite: async (trx, [outcome]) => {
          if (outcome?.ok) await idempotency.storeAnswer(trx, { data: domainWire(outcome.monitor, { now }) });
        },
      });
      if (!added.ok) return refusalToAdd(added, config.limits);
      const checked = applyAsyncPreference(c) ? null : await firstCheck.of(added.monitor.id);
      const monitor = checked ?? added.monitor;
      if (isRefusedByPolicy(monitor)) {
        await removeMonitor(store, { accountId, monitorId: monitor.id, now });
        return refuse('host_refused', REFUSED_HOST);
      }
      return { data: await oneDomainWire(store, monitor, parts.clock.now()) };
    } finally {
      firstCheck.stop();
    }
  });
}

/** Returns whether the client prefers an answer at once (RFC 7240 §4.1), and confirms it in the answer. */
function applyAsyncPreference(c: Context): boolean {
  const preferences = (c.req.header('prefer') ?? '').split(/[,;]/).map((part) => part.trim().toLowerCase());
  if (!preferences.includes('respond-async')) return false;
  c.header('Preference-Applied', 'respond-async');
  return true;
}

/**
 * Watches for the first check of one of the account's monitors, for at most `timeoutMs` or until `signal` is aborted.
 */
function watchFirstCheck(
  store: Store,
  { accountId, timeoutMs, signal }: { accountId: string; timeoutMs: number; signal: AbortSignal },
) {
  const waiter = waitForSignal(
    store,
    (signal) => signal.topic === 'domain' && signal.accountId === accountId,
  );
  return {
    /** Returns the checked monitor; null if there was no check in time or the monitor was removed. */
    async of(monitorId: string): Promise<Monitor | null> {
      const result = await waiter.until(
        async () => {
          const monitor = await findMonitor(store, { accountId, monitorId });
          return monitor === null || monitor.lastCheckedAt !== null ? { monitor } : null;
        },
        { timeoutMs, signal },
      );
      return result?.monitor ?? null;
    },
    stop: waiter.stop,
  };
}
