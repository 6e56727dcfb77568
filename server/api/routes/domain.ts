import { CALLS } from '../../../contract/calls.ts';
import { DEFAULT_CHECK_EVERY_MINUTES, FREE_DOMAIN_LIMIT, PAGE_SIZE } from '../../../contract/constants.ts';
import { displayName, mayAdd, mayResume, mayUseFrequency, normaliseEndpoint } from '../../core/index.ts';
import {
  addMonitor,
  history,
  listMonitors,
  monitorOf,
  pauseMonitor,
  removeMonitor,
  requestCheck,
  resumeMonitor,
  setFrequency,
  summary,
  type Monitor,
} from '../../store/monitors.ts';
import type { Api, AppParts } from '../api.ts';
import { watchFirstCheck } from '../first-check.ts';
import { refuse } from '../problem.ts';
import { domainWire, historyEntryWire, REFUSED_HOST, summaryWire } from '../wire.ts';

const notFound = () => refuse('not_found', 'There is no such domain.');
const isPaused = () => refuse('domain_paused', 'This domain is paused. Resume it to check it.');

export function domainRoutes(api: Api, parts: AppParts): void {
  const { store, policy, limits, timing } = parts;
  const endpointPolicy = {
    permitsAddress: (ip: string) => policy.permits(ip),
    permitsLocalNames: policy.permitsLocalNames,
  };

  api.on(CALLS.listDomains, async ({ query, session, now }) => {
    const { monitors, total } = await listMonitors(store, {
      accountId: session.account.id,
      page: query.page,
      pageSize: PAGE_SIZE,
      q: query.q?.toLowerCase(),
      status: query.status,
      tag: query.tag,
      sort: query.sort,
      now,
    });
    const data = monitors.map((monitor) => domainWire(monitor, now));
    return { data, page: query.page, page_size: PAGE_SIZE, total };
  });

  api.on(CALLS.domainSummary, async ({ session, now }) => ({
    data: summaryWire(await summary(store, { accountId: session.account.id, now })),
  }));

  api.on(CALLS.addDomain, async ({ body, session, now }) => {
    const accountId = session.account.id;
    const limited = limits.allow('addByAccount', accountId);
    if (limited) return limited;
    const normalised = normaliseEndpoint(body.host, endpointPolicy);
    if (!normalised.ok) return refuse('invalid_host', normalised.message);
    const { host, port } = normalised.endpoint;

    // Listening starts before the row exists: the worker can be faster than this function.
    const firstCheck = watchFirstCheck(store, { accountId, timeoutMs: timing.firstCheckMs });
    try {
      const added = await addMonitor(store, {
        accountId,
        host,
        port,
        checkEveryMinutes: DEFAULT_CHECK_EVERY_MINUTES,
        now,
        mayAdd,
      });
      if (!added.ok) {
        return added.code === 'exists'
          ? refuse('domain_exists', `You already track ${displayName(added.existing)}.`)
          : refuse('limit_reached', `The Free plan tracks up to ${FREE_DOMAIN_LIMIT} domains.`);
      }
      const monitor = (await firstCheck.of(added.monitor.id)) ?? added.monitor;
      if (isRefusedByPolicy(monitor)) {
        await removeMonitor(store, { accountId, monitorId: monitor.id });
        return refuse('host_refused', REFUSED_HOST);
      }
      return { data: domainWire(monitor, parts.clock.now()) };
    } finally {
      firstCheck.stop();
    }
  });

  api.on(CALLS.removeDomain, async ({ params, session, now }) => {
    const removed = await removeMonitor(store, { accountId: session.account.id, monitorId: params.id });
    return removed === null ? notFound() : { data: domainWire(removed, now) };
  });

  api.on(CALLS.domainHistory, async ({ params, session }) => {
    const entries = await history(store, { accountId: session.account.id, monitorId: params.id });
    return entries === null ? notFound() : { data: entries.map(historyEntryWire) };
  });

  api.on(CALLS.setFrequency, async ({ params, query, session, now }) => {
    const minutes = query.check_frequency;
    const set = await setFrequency(store, {
      accountId: session.account.id,
      monitorId: params.id,
      minutes,
      now,
      mayUse: (plan) => mayUseFrequency(plan, minutes),
    });
    if (set.ok) return { data: domainWire(set.monitor, now) };
    return set.code === 'not_found'
      ? notFound()
      : refuse('premium_required', 'Upgrade to premium to customize check frequency.');
  });

  api.on(CALLS.checkDomain, async ({ params, session, now }) => {
    const accountId = session.account.id;
    // Strangers learn from no answer, the one of a limit included, whether a domain exists.
    const owned = await monitorOf(store, { accountId, monitorId: params.id });
    if (owned === null) return notFound();
    if (owned.pausedBy !== null) return isPaused();
    const limited = limits.allow('checkByAccount', accountId) ?? limits.allow('checkByDomain', owned.id);
    if (limited) return limited;
    const monitor = await requestCheck(store, { accountId, monitorId: owned.id, now });
    if (monitor === null) return notFound();
    return monitor.pausedBy === null ? { data: domainWire(monitor, now) } : isPaused();
  });

  api.on(CALLS.pauseDomain, async ({ params, session, now }) => {
    const paused = await pauseMonitor(store, { accountId: session.account.id, monitorId: params.id, now });
    return paused === null ? notFound() : { data: domainWire(paused, now) };
  });

  api.on(CALLS.resumeDomain, async ({ params, body, session, now }) => {
    const accountId = session.account.id;
    const owned = await monitorOf(store, { accountId, monitorId: params.id });
    if (owned === null) return notFound();
    // Each resuming is a check: the ways to ask for one share their limits.
    const limited = limits.allow('checkByAccount', accountId) ?? limits.allow('checkByDomain', owned.id);
    if (limited) return limited;
    const resumed = await resumeMonitor(store, {
      accountId,
      monitorId: owned.id,
      insteadOf: body.instead_of,
      now,
      mayResume,
    });
    if (resumed.ok) return { data: domainWire(resumed.monitor, now) };
    return resumed.code === 'not_found'
      ? notFound()
      : refuse('limit_reached', `The Free plan checks up to ${FREE_DOMAIN_LIMIT} domains.`);
  });
}

function isRefusedByPolicy({ verdict }: Monitor): boolean {
  return verdict?.failure?.stage === 'policy' || verdict?.failure?.reason === 'address_refused';
}
