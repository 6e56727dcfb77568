import { CALLS } from '../../../contract/calls/calls.ts';
import { DEFAULT_CHECK_EVERY_MINUTES } from '../../../contract/words.ts';
import type { ImportResult } from '../../../contract/domain-import.ts';
import { displayName, type NormalisedEndpoint, normaliseEndpoint } from '../../core/endpoint.ts';
import { entitlementAt, mayAdd, remainingDomains } from '../../core/plan.ts';
import type { Targeted } from '../../core/target.ts';
import { type Api, type AppParts, endpointPolicy } from '../http/api.ts';
import { refusalToAdd } from './domain-refusals.ts';
import { type Refusal, refuse } from '../http/problem.ts';
import { misuseRules, refuseUnverified } from '../auth/verified-address.ts';
import { domainWire } from './domain-wire.ts';
import { type AddedMonitor, addMonitors, trackedEndpoints } from '../../store/monitors/monitor-adding.ts';

/** Previews and imports many hosts, from pasted text or a file. */
export function domainImportRoutes(api: Api, parts: AppParts): void {
  const { store, limits, config } = parts;
  const policy = endpointPolicy(parts);

  api.on(CALLS.previewImport, async ({ body, session: { account }, now }) => {
    const lines = body.entries.map((entry) => normaliseEndpoint(entry.host, policy, entry));
    const tracked = await trackedEndpoints(store, { accountId: account.id, endpoints: endpointsOf(lines) });
    const { plan } = entitlementAt(store, account.entitlement, now);
    const entries = lines.map((line) => {
      if (!line.ok)
        return { outcome: 'invalid' as const, endpoint: null, display_name: null, message: line.message };
      return {
        outcome: tracked.has(line.endpoint) ? ('exists' as const) : ('new' as const),
        endpoint: textOf(line.endpoint),
        display_name: displayName(line.endpoint),
        message: null,
      };
    });
    return { data: { room: remainingDomains(plan, tracked.count), entries } };
  });

  api.on(CALLS.importDomains, async ({ c, body, session, idempotency, now }) => {
    const accountId = session.account.id;
    const limited =
      refuseUnverified(session.account, 'import', parts) ??
      limits.allow('importedByAccount', accountId, body.entries.length);
    if (limited) return limited;
    const lines = body.entries.map((entry) => ({
      description: { tags: entry.tags, notes: entry.notes },
      normalised: normaliseEndpoint(entry.host, policy, entry),
    }));
    const endpoints = lines.flatMap(({ normalised, description }) =>
      normalised.ok ? { ...normalised.endpoint, ...description } : [],
    );
    const answerOf = (added: readonly AddedMonitor[]) => {
      let next = 0;
      const data = lines.map(({ normalised }) =>
        normalised.ok ? resultOf(added[next++]) : refusedLine(refuse('invalid_host', normalised.message)),
      );
      return { data };
    };
    const added = await addMonitors(store, {
      accountId,
      endpoints,
      checkEveryMinutes: DEFAULT_CHECK_EVERY_MINUTES,
      now,
      mayAdd,
      misuse: misuseRules(config),
      alsoWrite: (trx, outcomes) => idempotency.storeAnswer(trx, answerOf(outcomes)),
    });
    if (added.some((each) => !each.ok && each.code === 'too_many_ports'))
      c.set('reachedLimit', 'portsPerHost');
    return answerOf(added);

    function resultOf(outcome: AddedMonitor | undefined): ImportResult[number] {
      if (outcome === undefined) throw new Error('Each endpoint has an outcome');
      if (outcome.ok) return { problem: null, message: null, domain: domainWire(outcome.monitor, { now }) };
      return refusedLine(refusalToAdd(outcome, config.limits));
    }
  });
}

const endpointsOf = (lines: NormalisedEndpoint[]) => lines.flatMap((line) => (line.ok ? line.endpoint : []));

const textOf = ({ host, port, target }: Targeted) =>
  `${host.includes(':') ? `[${host}]` : host}:${port}${target ? ` ${target}` : ''}`;

const refusedLine = ({ code, detail }: Refusal) => ({ problem: code, message: detail, domain: null });
