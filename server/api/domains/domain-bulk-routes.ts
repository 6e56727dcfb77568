import { CALLS } from '../../../contract/calls/calls.ts';
import { MAX_TAGS } from '../../../contract/words.ts';
import type { BulkRequest, BulkResult } from '../../../contract/domain.ts';
import { mayResume, mayUseFrequency, type Plan } from '../../core/plan.ts';
import { removeMonitor, requestCheck, setFrequency } from '../../store/monitors/monitors.ts';
import type { Account } from '../../store/accounts/accounts.ts';
import type { Api, AppParts } from '../http/api.ts';
import { REFUSALS } from './domain-refusals.ts';
import { Refusal } from '../http/problem.ts';
import { limitCheck, limitRecheck } from '../auth/verified-address.ts';
import { oneDomainWire } from './domain-wire.ts';
import { updateDescription } from '../../store/monitors/monitor-change.ts';
import type { MonitorKey } from '../../store/schema/tables.ts';
import type { Monitor } from '../../store/monitors/monitor-row.ts';
import { findMonitors } from '../../store/monitors/monitor-list.ts';
import { pauseMonitor, resumeMonitor } from '../../store/monitors/monitor-pauses.ts';

/** Result of an action: the domain after it, null if it was removed, or the refusal. */
type Outcome = Monitor | Refusal | null;

/**
 * Applies one action to many domains, in one transaction each: a removal may delete thousands of checks, and other
 * writes must wait for one removal at most. If the call fails, domains already done stay changed; a client may repeat it.
 */
export function domainBulkRoute(api: Api, parts: AppParts): void {
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
      const outcome = owned === null ? REFUSALS.notFound() : await act(account, owned, body, now);
      if (outcome instanceof Refusal && outcome.limit !== null) c.set('reachedLimit', outcome.limit);
      results.set(id, await resultOf(id, outcome, owned, now));
    }
    return { data: body.ids.flatMap((id) => results.get(id) ?? []) };
  });

  async function act(account: Account, owned: Monitor, request: BulkRequest, now: number): Promise<Outcome> {
    const key = { accountId: owned.accountId, monitorId: owned.id };
    switch (request.action) {
      case 'check':
        return check(account, owned, now);
      case 'pause':
        return (await pauseMonitor(store, { ...key, now })) ?? REFUSALS.notFound();
      case 'resume':
        return resume(account, owned, now);
      case 'remove':
        await removeMonitor(store, { ...key, now });
        return null;
      case 'frequency':
        if (owned.checkEveryMinutes !== (request.instead_of ?? owned.checkEveryMinutes)) return owned;
        return setMinutes(account, owned, request.check_frequency, now);
      default:
        return retag(key, request);
    }
  }

  async function check(account: Account, owned: Monitor, now: number): Promise<Outcome> {
    if (owned.pausedBy !== null) return REFUSALS.paused();
    // A bulk call has asked for a check of this domain within the last minute, so do not request another one.
    if (limits.allow('bulkCheckByDomain', owned.id)) return owned;
    const limited = account.emailVerified ? null : limitCheck(parts, account, owned.id);
    if (limited) {
      limits.refund('bulkCheckByDomain', owned.id);
      return limited;
    }
    const { accountId, id: monitorId } = owned;
    const monitor = await requestCheck(store, { accountId, monitorId, now }).catch((error: unknown) => {
      limits.refund('bulkCheckByDomain', owned.id);
      throw error;
    });
    if (monitor === null) return REFUSALS.notFound();
    return monitor.pausedBy === null ? monitor : REFUSALS.paused();
  }

  async function resume(account: Account, owned: Monitor, now: number): Promise<Outcome> {
    if (owned.pausedBy === null) return owned;
    const limited = limitCheck(parts, account, owned.id);
    if (limited) return limited;
    const { accountId, id: monitorId } = owned;
    const resumed = await resumeMonitor(store, { accountId, monitorId, now, mayResume });
    if (resumed.ok) return resumed.monitor;
    limits.refund('checkBeforeProof', owned.id);
    return resumed.code === 'not_found' ? REFUSALS.notFound() : REFUSALS.tooManyActive();
  }

  async function setMinutes(
    account: Account,
    owned: Monitor,
    minutes: number,
    now: number,
  ): Promise<Outcome> {
    const limited = owned.checkEveryMinutes === minutes ? null : limitRecheck(parts, account, owned.id);
    if (limited) return limited;
    const key = { accountId: owned.accountId, monitorId: owned.id };
    const mayUse = (plan: Plan) => mayUseFrequency(plan, minutes);
    const set = await setFrequency(store, { ...key, minutes, now, mayUse });
    if (set.ok) return set.monitor;
    return set.code === 'not_found' ? REFUSALS.notFound() : REFUSALS.premiumFrequency();
  }

  async function retag(key: MonitorKey, { add, remove }: BulkRequest & { action: 'tag' }): Promise<Outcome> {
    const described = await updateDescription(store, {
      ...key,
      describe({ notes, tags }) {
        const next = [...new Set([...tags.filter((tag) => !remove.includes(tag)), ...add])];
        return next.length > MAX_TAGS ? null : { notes, tags: next };
      },
    });
    if (described.ok) return described.monitor;
    return described.code === 'not_found' ? REFUSALS.notFound() : REFUSALS.tooManyTags();
  }

  async function resultOf(
    id: string,
    outcome: Outcome,
    owned: Monitor | null,
    now: number,
  ): Promise<BulkResult[number]> {
    if (!(outcome instanceof Refusal)) {
      const domain = outcome && (await oneDomainWire(store, outcome, now));
      return { id, problem: null, message: null, domain };
    }
    const isGone = owned === null || outcome.code === 'not_found';
    return {
      id,
      problem: outcome.code,
      message: outcome.detail,
      domain: isGone ? null : await oneDomainWire(store, owned, now),
    };
  }
}
