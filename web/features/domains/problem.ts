import type { DomainWire, SummaryWire } from '../../../contract/domain.ts';
import { worstFinding } from './finding-line.ts';

export type Problem = NonNullable<SummaryWire['problems']>[number];

/** Why this domain needs a person for another reason than its dates; null when it does not. */
export function problemOf(domain: DomainWire): Problem | null {
  const { id, hostname, display_name, state } = domain;
  const about = { id, hostname, display_name, state };
  if (domain.unreachable) return { ...about, kind: 'unreachable', message: domain.unreachable.message };
  if (domain.trusted !== false || state === 'expired' || state === 'revoked') return null;
  const message = worstFinding(domain)?.message ?? 'The certificate is not trusted.';
  return { ...about, kind: 'untrusted', message };
}
