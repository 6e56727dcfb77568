import type { Protocol } from '../../../../contract/protocols.ts';
import { type Client, CLIENT_NAMES, CLIENTS } from '../../../../contract/check-words.ts';
import { definitionOf, type Finding, kindOf } from '../../finding.ts';
import type { Verdict } from '../../verdict.ts';
import { acceptingSince, reasonOf } from '../../findings/clients.ts';
import { connectsTo } from './client-rule.ts';

/** Returns the clients that refuse the endpoint because of a finding. If the finding is upcoming, they refuse it from the finding's day on. */
export function clientsRefusing({
  code,
  severity,
  facts,
  keyType,
  shownTo,
  clients,
}: Pick<Finding, 'code' | 'severity' | 'facts' | 'keyType' | 'shownTo' | 'clients'>): readonly Client[] {
  if (severity === 'note' || (keyType !== null && shownTo === undefined)) return [];
  const all = severity === 'critical' ? CLIENTS : [];
  return clients ?? kindOf(facts).refusedBy?.(facts) ?? definitionOf(code)?.refusedBy ?? all;
}

/** Returns the clients whose current version refuses the endpoint because of a finding. */
export function clientsRefusingNow(finding: Parameters<typeof clientsRefusing>[0]): readonly Client[] {
  const { facts, severity } = finding;
  if (severity === 'upcoming') return [];
  const rule = facts.kind === 'refused_by_clients' ? facts.rule : '';
  if (reasonOf(rule)?.isUncertain) return [];
  return clientsRefusing(finding).filter((client) => acceptingSince(rule, client) === undefined);
}

/** Returns when clients will begin to refuse the endpoint (ms UTC) and which clients, the earliest day first. */
export function refusalsToCome({
  findings,
}: Pick<Verdict, 'findings'>): { from: number; clients: readonly Client[] }[] {
  return findings
    .flatMap((finding) =>
      finding.facts.kind === 'refused_from'
        ? [{ from: finding.facts.from, clients: clientsRefusing(finding) }]
        : [],
    )
    .toSorted((left, right) => left.from - right.from);
}

/**
 * Returns for each client that speaks the protocol whether it connects to every address that answers, and from when on it will not (ms UTC)
 * if that is known; empty if no certificate was read.
 */
export function connectingClients(
  { reached, findings }: Pick<Verdict, 'reached' | 'findings'>,
  protocol: Protocol,
): { client: Client; name: string; connects: boolean; refusesFrom?: number }[] {
  const later = refusalsToCome({ findings });
  const refusesFrom = (client: Client) => {
    const first = later.find(({ clients }) => clients.includes(client));
    return first && !refusing.has(client) && { refusesFrom: first.from };
  };
  const refusing = new Set(findings.flatMap(clientsRefusingNow));
  return reached
    ? CLIENTS.filter(connectsTo(protocol)).map((client) => ({
        client,
        name: CLIENT_NAMES[client],
        connects: !refusing.has(client),
        ...refusesFrom(client),
      }))
    : [];
}
