import type { Client } from '../../../../contract/check-words.ts';
import type { Protocol } from '../../../../contract/protocols.ts';
import type { Certificate } from '../../../pki/index.ts';
import type { ChainFinding } from '../../finding.ts';
import type { PostureVerdict } from '../../verdict.ts';
import { connectsTo, severityOf } from './client-rule.ts';
import { keyTypeOf } from './field-rules.ts';
import { clientsRefusing, clientsRefusingNow } from './refusals.ts';

/**
 * Returns the clients that get a leaf which the usual handshake shows, by what the last posture check learned; null if nothing is known. It
 * holds for a renewed leaf with a key of the same type, too.
 */
export function clientsGetting(leaf: Certificate, posture: PostureVerdict | null): readonly Client[] | null {
  const { usual, alternates = [] } = posture ?? {};
  if (usual === undefined || keyTypeOf(leaf.key) !== usual.keyType) return null;
  const isOther = alternates.some(({ certificate }) => certificate.fingerprint === leaf.fingerprint);
  return isOther ? null : usual.clients;
}

/**
 * Returns the finding as it concerns only these clients, because the others get another certificate: it is critical only if one of them makes
 * it so. Returns null for a refusal of other clients. A key exchange group is refused whatever the certificate.
 */
export function limitedTo(
  finding: ChainFinding,
  clients: readonly Client[],
  protocol: Protocol,
): ChainFinding | null {
  const { facts } = finding;
  if (facts.kind === 'refused_by_clients' && facts.rule === 'rare_group') return finding;
  const isServed = (client: Client): boolean => clients.includes(client);
  const about = { ...finding, keyType: null };
  const refusing = clientsRefusing(about).filter(connectsTo(protocol));
  if (refusing.every(isServed)) return finding;
  const left = refusing.filter(isServed);
  if (left.length === 0 && finding.code === 'refused_by_clients') return null;
  const isCritical =
    finding.severity === 'critical' &&
    severityOf(clientsRefusingNow(about).filter(isServed), protocol) === 'critical';
  return { ...finding, severity: isCritical ? 'critical' : 'warning', clients: left };
}
