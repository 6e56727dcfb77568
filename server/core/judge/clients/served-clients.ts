import type { Client } from '../../../../contract/check-words.ts';
import type { Protocol } from '../../../../contract/protocols.ts';
import type { Certificate } from '../../../pki/index.ts';
import type { ChainFinding } from '../../finding.ts';
import type { PostureVerdict } from '../../verdict.ts';
import { connectsTo, severityOf } from './client-rule.ts';
import { keyTypeOf } from './field-rules.ts';
import { clientsRefusing, clientsRefusingNow } from './refusals.ts';

/**
 * Returns the clients that get a leaf of the usual handshake, as the last posture check learned it; null if that is not known. A renewed
 * leaf with a key of the same type is taken for the same one.
 */
export function clientsGetting(leaf: Certificate, posture: PostureVerdict | null): readonly Client[] | null {
  const { usual, alternates = [] } = posture ?? {};
  if (usual === undefined || keyTypeOf(leaf.key) !== usual.keyType) return null;
  const isOther = alternates.some(({ certificate }) => certificate.fingerprint === leaf.fingerprint);
  return isOther ? null : usual.clients;
}

/**
 * Limits a finding to these clients, because the others get another certificate. It stays critical only if one of these makes it so.
 * Returns null if only other clients refuse. Whether a client refuses a key exchange group does not depend on the certificate.
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
