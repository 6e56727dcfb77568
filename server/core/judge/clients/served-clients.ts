import type { Client } from '../../../../contract/check-words.ts';
import type { Protocol } from '../../../../contract/protocols.ts';
import type { Certificate } from '../../../pki/certificate.ts';
import type { ChainFinding } from '../../finding.ts';
import { reasonOf } from '../../findings/clients.ts';
import type { PostureVerdict } from '../../verdict.ts';
import { connectsTo, severityOf } from './client-rule.ts';
import { keyTypeOf } from './field-rules.ts';
import { clientsRefusing, clientsRefusingNow } from './refusals.ts';

/**
 * Returns the clients that got the leaf of the usual handshake at the last posture check; null if this is not known. Assumes that they also
 * get a renewed leaf with a key of the same type.
 */
export function clientsGetting(leaf: Certificate, posture: PostureVerdict | null): readonly Client[] | null {
  const { usual, alternates = [] } = posture ?? {};
  if (usual === undefined || keyTypeOf(leaf.key) !== usual.keyType) return null;
  const isOther = alternates.some(({ certificate }) => certificate.fingerprint === leaf.fingerprint);
  return isOther ? null : usual.clients;
}

/**
 * Limits a finding to the clients that get the certificate, and adapts its severity. Returns null if none of these refuses the certificate.
 * A finding about every handshake stays as it is.
 */
export function limitToClients(
  finding: ChainFinding,
  clients: readonly Client[],
  protocol: Protocol,
): ChainFinding | null {
  const { facts } = finding;
  if (facts.kind === 'refused_by_clients' && reasonOf(facts.rule)?.isOfEveryHandshake) return finding;
  const isServed = (client: Client): boolean => clients.includes(client);
  const about = { ...finding, keyType: null };
  const refusing = clientsRefusing(about).filter(connectsTo(protocol));
  if (refusing.every(isServed)) return finding;
  const left = refusing.filter(isServed);
  const isUpcoming = finding.severity === 'upcoming';
  if (left.length === 0 && (isUpcoming || finding.code === 'refused_by_clients')) return null;
  if (isUpcoming) return { ...finding, clients: left };
  const isCritical =
    finding.severity === 'critical' &&
    severityOf(clientsRefusingNow(about).filter(isServed), protocol) === 'critical';
  return { ...finding, severity: isCritical ? 'critical' : 'warning', clients: left };
}
