import { MINUTE_MS } from '../../../contract/durations.ts';
import { CLIENTS } from '../../../contract/check-words.ts';
import type { Protocol } from '../../../contract/protocols.ts';
import type { Certificate } from '../../pki/index.ts';
import { certificateName, issuerName } from '../facts.ts';
import type { ChainFinding, Finding } from '../finding.ts';
import { connectsTo } from './clients/client-rule.ts';

/** If a certificate becomes valid within this time, the finding is only a warning, because our clock may be slow. */
export const SOON_MS = 5 * MINUTE_MS;

/** Reports a leaf that is not valid yet. */
export function earlyLeaf(leaf: Certificate, protocol: Protocol, now: number): ChainFinding {
  const { fingerprint, notBefore, notAfter } = leaf;
  const { soon, ...gravity } = gravityOf(leaf, protocol, now);
  const facts = { kind: 'not_yet_valid' as const, notBefore, ...soon, evidence: { notAfter } };
  return { code: 'not_yet_valid', fingerprint, facts, ...gravity };
}

/** Reports a CA certificate of a path that is not valid yet. */
export function earlyAuthority(authority: Certificate, protocol: Protocol, now: number): ChainFinding {
  const { fingerprint, notBefore } = authority;
  const { soon, ...gravity } = gravityOf(authority, protocol, now);
  const name = certificateName(authority);
  const evidence = { certificate: name, issuer: issuerName(authority) };
  const facts = {
    kind: 'path_fault' as const,
    fault: 'not_yet_valid' as const,
    authority: name,
    notBefore,
    ...soon,
    evidence,
  };
  return { code: 'path_invalid', fingerprint, facts, ...gravity };
}

/** Returns the severity. If it is only a warning, adds `clients`, which refuse until then, and `soon`, which belongs in the facts. */
function gravityOf(
  { notBefore }: Certificate,
  protocol: Protocol,
  now: number,
): Pick<ChainFinding, 'severity' | 'clients'> & { soon?: { minutes: number } } {
  const waitMs = notBefore - now;
  if (waitMs > SOON_MS) return { severity: 'critical' };
  const soon = { minutes: Math.ceil(waitMs / MINUTE_MS) };
  return { severity: 'warning', clients: CLIENTS.filter(connectsTo(protocol)), soon };
}

/** Returns when all certificates that become valid within minutes are valid, ms UTC; null if there are none. */
export function validFrom(findings: readonly Pick<Finding, 'facts'>[]): number | null {
  const starts = findings.flatMap(({ facts }) => {
    const isEarly =
      facts.kind === 'not_yet_valid' || (facts.kind === 'path_fault' && facts.fault === 'not_yet_valid');
    return isEarly && facts.minutes !== undefined ? facts.notBefore : [];
  });
  return starts.length === 0 ? null : Math.max(...starts);
}
