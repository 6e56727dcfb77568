import type { Certificate } from '../../pki/certificate.ts';
import type { Protocol } from '../../../contract/protocols.ts';
import { severityOf } from './clients/client-rule.ts';
import {
  CLIENTS_DEMANDING_STAPLE,
  clientsRefusingStaple,
  type RevocationSource,
} from '../findings/revocation.ts';
import { certificateName } from '../facts.ts';
import type { ChainFinding } from '../finding.ts';
import type { RevocationEvidence, RevocationProblem } from '../observation.ts';
import { isKnownFromEarlierCheck } from './revocation.ts';
import type { RevocationVerdict, RevokedCertificate } from '../verdict.ts';

/**
 * Reports a revoked certificate. Clients refuse a path that contains it. If no path needs it (`served` is false), the finding is a
 * warning, because it may still mislead some clients. `current` has the present answers of all sources.
 */
export function revokedFinding(
  certificate: Certificate,
  revoked: RevokedCertificate,
  current: RevocationVerdict,
): ChainFinding {
  const { role, source, at, revokedAt, reason, served } = revoked;
  const { fingerprint, serialNumber } = certificate;
  return {
    code: role === 'leaf' ? 'revoked' : 'intermediate_revoked',
    severity: served ? 'critical' : 'warning',
    ...(served ? {} : { fixedByChain: true as const }),
    fingerprint,
    facts: {
      kind: 'revoked',
      role,
      name: certificateName(certificate),
      source,
      at,
      revokedAt,
      reason,
      served,
      wasSaidBefore: isKnownFromEarlierCheck(current),
      dissent: dissentOf(current),
      evidence: { serialNumber },
    },
  };
}

/** Returns the source that reports a revoked certificate as good; null if none does. */
function dissentOf({ sources }: RevocationVerdict): RevocationSource | null {
  return sources.find(({ state }) => state === 'good')?.source ?? null;
}

/** Reports an invalid staple, and a missing staple that the certificate demands (RFC 7633). */
export function stapleFindings(
  leaf: Certificate,
  hasStaple: boolean,
  evidence: readonly RevocationEvidence[],
  protocol: Protocol,
): ChainFinding[] {
  const { fingerprint } = leaf;
  if (!hasStaple) {
    const severity = severityOf(CLIENTS_DEMANDING_STAPLE, protocol);
    return leaf.mustStaple
      ? [{ code: 'staple_missing', severity, fingerprint, facts: { kind: 'staple_missing' } }]
      : [];
  }
  const answer = evidence.find((one) => one.source === 'staple' && one.fingerprint === fingerprint)?.answer;
  const why = answer === undefined ? null : stapleProblem(answer);
  if (why === null) return [];
  return [
    {
      code: 'staple_invalid',
      severity: severityOf(clientsRefusingStaple(why), protocol),
      fingerprint,
      facts: { kind: 'staple_invalid', why },
    },
  ];
}

/** Staples with these problems are ignored: no client refuses the server because of them (measured). */
const IGNORED: ReadonlySet<RevocationProblem> = new Set([
  'pending',
  'too_old',
  'misdated',
  'contradictory',
  'sha1_signature',
  'try_later',
] as const);

/** Returns why a client refuses a server because of its staple; null if none does. */
function stapleProblem(answer: RevocationEvidence['answer']): RevocationProblem | null {
  if (answer.state === 'none') return IGNORED.has(answer.why) ? null : answer.why;
  return answer.isPreceded === true ? 'contradictory' : null;
}
