import { CALLS } from '../../../contract/calls/calls.ts';
import { MAX_TAGS } from '../../../contract/words.ts';
import type { BulkRequest, BulkResult } from '../../../contract/domain.ts';
import { mayResume, mayUseFrequency, type Plan } from '../../core/plan.ts';
import { findMonitor, removeMonitor, requestCheck, setFrequency } from '../../store/monitors/monitors.ts';
import type { Account } from '../../store/accounts/accounts.ts';
import type { Api, AppParts, Caller } from '../http/api.ts';
import { DOMAIN_REFUSALS } from './domain-refusals.ts';
import { Refusal } from '../http/problem.ts';
import { limitCheck, limitRecheck } from '../auth/verified-address.ts';
import { oneDomainWire } from './domain-wire.ts';
import { updateDescription } from '../../store/monitors/monitor-change.ts';
import type { Store } from '../../store/db/open-store.ts';
import type { MonitorKey } from '../../store/schema/tables.ts';
import type { Monitor } from '../../store/monitors/monitor-row.ts';
import { findMonitors } from '../../store/monitors/monitor-list.ts';
import { pauseMonitor, resumeMonitor } from '../../store/monitors/monitor-pauses.ts';

/** Result of an action: the domain after the action, or the refusal. */
type Outcome = Monitor | Refusal;

/** The caller and the time of an action. */
interface Action {
  parts: AppParts;
  account: Account;
  now: number;
}

/** Registers the calls that act on one domain, or on many. */
export function domainActionRoutes(api: Api, parts: AppParts): void {
  const { store } = parts;

  async function actOnOne(
    { account }: Caller,
    monitorId: string,
    now: number,
    run: (action: Action, owned: Monitor) => Promise<Outcome>,
  ) {
    // Check ownership before the limits of the domain: no answer may reveal to strangers whether a domain exists.
    const owned = await findMonitor(store, { accountId: account.id, monitorId });
    const outcome = owned === null ? DOMAIN_REFUSALS.notFound() : await run({ parts, account, now }, owned);
    return outcome instanceof Refusal ? outcome : { data: await oneDomainWire(store, outcome, now) };
  }

  api.on(CALLS.setFrequency, ({ params, query, session, now }) =>
    actOnOne(session, params.id, now, (action, owned) => setMinutes(action, owned, query.check_frequency)),
  );

  api.on(CALLS.checkDomain, ({ params, session, now }) =>
    actOnOne(session, params.id, now, async (action, owned) => {
      if (owned.pausedBy !== null) return DOMAIN_REFUSALS.paused();
      return limitCheck(parts, action.account, owned.id) ?? startCheck(action, owned);
    }),
  );

  api.on(CALLS.pauseDomain, ({ params, session, now }) => actOnOne(session, params.id, now, pause));

  api.on(CALLS.resumeDomain, ({ params, body, session, now }) =>
    actOnOne(
      session,
      params.id,
      now,
      async (action, owned) =>
        limitCheck(parts, action.account, owned.id) ?? resume(action, owned, body.instead_of),
    ),
  );

  bulkRoute(api, parts);
}

/**
 * Applies one action to many domains, with one transaction per domain: a removal may delete thousands of checks, and other writes
 * must wait for one removal at most. If the call fails, domains already done stay changed; clients may repeat the call.
 */
function bulkRoute(api: Api, parts: AppParts): void {
  const { store, limits } = parts;

  api.on(CALLS.actOnDomains, async ({ c, body, session: { account }, now }) => {
    const accountId = account.id;
    const ids = [...new Set(body.ids)];
    const isCheck = body.action === 'check' || body.action === 'resume';
    const limited = isCheck ? limits.allow('bulkChecksByAccount', accountId, ids.length) : null;
    if (limited) return limited;

    // Check ownership before counting limits per domain: other people must not use up the owner's limits.
    const ownedById = new Map((await findMonitors(store, { accountId, ids })).map((each) => [each.id, each]));
    const results = new Map<string, BulkResult[number]>();
    for (const id of ids) {
      const owned = ownedById.get(id) ?? null;
      const outcome =
        owned === null ? DOMAIN_REFUSALS.notFound() : await act({ parts, account, now }, owned, body);
      if (outcome instanceof Refusal && outcome.limit !== null) c.set('reachedLimit', outcome.limit);
      results.set(id, await resultOf(outcome, { id, owned }, store, now));
    }
    return { data: body.ids.flatMap((id) => results.get(id) ?? []) };
  });
}

async function resultOf(
  outcome: Outcome | null,
  { id, owned }: { id: string; owned: Monitor | null },
  store: Store,
  now: number,
): Promise<BulkResult[number]> {
  const problem = outcome instanceof Refusal ? outcome : null;
  const domain = outcome instanceof Refusal ? (outcome.code === 'not_found' ? null : owned) : outcome;
  return {
    id,
    problem: problem?.code ?? null,
    message: problem?.detail ?? null,
    domain: domain && (await oneDomainWire(store, domain, now)),
  };
}

/** Carries out the action. Returns the domain after it or the refusal; null if the domain was removed. */
async function act(action: Action, owned: Monitor, request: BulkRequest): Promise<Outcome | null> {
  const { parts, account, now } = action;
  const { store } = parts;
  const key = { accountId: owned.accountId, monitorId: owned.id };
  switch (request.action) {
    case 'check':
      return checkInBulk(action, owned);
    case 'pause':
      return pause(action, owned);
    case 'resume':
      if (owned.pausedBy === null) return owned;
      return limitCheck(parts, account, owned.id) ?? resume(action, owned);
    case 'remove':
      await removeMonitor(store, { ...key, now });
      return null;
    case 'frequency':
      if (owned.checkEveryMinutes !== (request.instead_of ?? owned.checkEveryMinutes)) return owned;
      return setMinutes(action, owned, request.check_frequency);
    default:
      return retag(store, key, request);
  }
}

async function checkInBulk(action: Action, owned: Monitor): Promise<Outcome> {
  const { parts, account } = action;
  if (owned.pausedBy !== null) return DOMAIN_REFUSALS.paused();
  // If a bulk call requested a check of this domain within the last minute, do not request another one.
  if (parts.limits.allow('bulkCheckByDomain', owned.id)) return owned;
  const refund = (): void => parts.limits.refund('bulkCheckByDomain', owned.id);
  const limited = account.emailVerified ? null : limitCheck(parts, account, owned.id);
  if (limited) refund();
  return (
    limited ??
    startCheck(action, owned).catch((error: unknown) => {
      refund();
      throw error;
    })
  );
}

async function startCheck({ parts, now }: Action, { accountId, id }: Monitor): Promise<Outcome> {
  const monitor = await requestCheck(parts.store, { accountId, monitorId: id, now });
  if (monitor === null) return DOMAIN_REFUSALS.notFound();
  return monitor.pausedBy === null ? monitor : DOMAIN_REFUSALS.paused();
}

async function pause({ parts, now }: Action, { accountId, id }: Monitor): Promise<Outcome> {
  return (await pauseMonitor(parts.store, { accountId, monitorId: id, now })) ?? DOMAIN_REFUSALS.notFound();
}

/** Resumes a domain. The caller has already counted its check in the limits. */
async function resume(
  { parts, now }: Action,
  { accountId, id }: Monitor,
  insteadOf?: string,
): Promise<Outcome> {
  const resumed = await resumeMonitor(parts.store, { accountId, monitorId: id, insteadOf, now, mayResume });
  if (resumed.ok) return resumed.monitor;
  parts.limits.refund('checkBeforeProof', id);
  return resumed.code === 'not_found' ? DOMAIN_REFUSALS.notFound() : DOMAIN_REFUSALS.tooManyActive();
}

async function setMinutes(
  { parts, account, now }: Action,
  owned: Monitor,
  minutes: number,
): Promise<Outcome> {
  const limited = owned.checkEveryMinutes === minutes ? null : limitRecheck(parts, account, owned.id);
  if (limited) return limited;
  const key = { accountId: owned.accountId, monitorId: owned.id };
  const mayUse = (plan: Plan) => mayUseFrequency(plan, minutes);
  const set = await setFrequency(parts.store, { ...key, minutes, now, mayUse });
  if (set.ok) return set.monitor;
  return set.code === 'not_found' ? DOMAIN_REFUSALS.notFound() : DOMAIN_REFUSALS.premiumFrequency();
}

async function retag(
  store: Store,
  key: MonitorKey,
  { add, remove }: BulkRequest & { action: 'tag' },
): Promise<Outcome> {
  const described = await updateDescription(store, {
    ...key,
    describe({ notes, tags }) {
      const next = [...new Set([...tags.filter((tag) => !remove.includes(tag)), ...add])];
      return next.length > MAX_TAGS ? null : { notes, tags: next };
    },
  });
  if (described.ok) return described.monitor;
  return described.code === 'not_found' ? DOMAIN_REFUSALS.notFound() : DOMAIN_REFUSALS.tooManyTags();
}
