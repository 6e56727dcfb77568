import type { Certificate } from '../../pki/index.ts';
import { certificateName } from '../facts.ts';
import type { ChainFinding } from './chain-finding.ts';
import { longDate, longInstant } from '../long-date.ts';
import type { RevocationEvidence } from '../observation.ts';
import {
  reasonWords,
  revocationReason,
  revocationSource,
  revocationWhy,
  wasSaidBefore,
} from './revocation.ts';
import type { RevocationVerdict, RevokedCertificate } from '../verdict.ts';

/**
 * That a certificate was revoked, with who says so, when and why. Clients refuse what depends on it; one that `served` says
 * nothing depends on may still lead some of them astray. `said`: the current answers of all sources.
 */
export function revokedFinding(
  certificate: Certificate,
  revoked: RevokedCertificate,
  said: RevocationVerdict,
): ChainFinding {
  const { role, source, at, revokedAt, served } = revoked;
  const reason = revocationReason(revoked.reason);
  const what =
    role === 'leaf' ? 'The certificate' : `The intermediate certificate “${certificateName(certificate)}”`;
  const when = revokedAt === null ? '' : ` on ${longDate(revokedAt, 'UTC')}`;
  const dissent = dissentOf(said);
  const who = wasSaidBefore(said)
    ? `so said ${revocationSource(source)} on ${longDate(at, 'UTC')}`
    : `so says ${revocationSource(source)}${dissent === null ? '' : `, while ${dissent} does not call it revoked`}`;
  const why = reason === null ? '' : `, because ${reason}`;
  return {
    code: role === 'leaf' ? 'revoked' : 'intermediate_revoked',
    severity: served ? 'critical' : 'warning',
    message: served
      ? `${what} was revoked${when}${why}: ${who}.`
      : `${what} is sent along although it was revoked${when}${why}: ${who}. There is a way to a known authority without it, but some clients may not look for it.`,
    ...(served ? {} : { mendedByChain: true as const }),
    fingerprint: certificate.fingerprint,
    evidence: [
      { label: 'Serial number', value: certificate.serialNumber },
      ...(revokedAt === null ? [] : [{ label: 'Revoked', value: longInstant(revokedAt) }]),
      ...(revoked.reason === null ? [] : [{ label: 'Reason', value: reasonWords(revoked.reason) }]),
      { label: 'Source', value: revocationSource(source) },
      ...(dissent === null ? [] : [{ label: 'Not revoked, says', value: dissent }]),
      { label: 'Read', value: longInstant(at) },
    ],
  };
}

/** Returns the source that reports a revoked certificate as good, or null. */
function dissentOf({ sources }: RevocationVerdict): string | null {
  const good = sources.find(({ state }) => state === 'good');
  return good === undefined ? null : revocationSource(good.source);
}

/** A staple that does not count, and one that the certificate demands and that did not come (RFC 7633). */
export function stapleFindings(
  leaf: Certificate,
  hasStaple: boolean,
  evidence: readonly RevocationEvidence[],
): ChainFinding[] {
  const { fingerprint } = leaf;
  if (!hasStaple) {
    if (!leaf.mustStaple) return [];
    const message =
      'The certificate demands that the server staples an OCSP answer, and it staples none: clients that honour this refuse it.';
    const label = 'Extension';
    const demand = [{ label, value: 'TLS Feature: status_request (must staple)' }];
    return [{ code: 'staple_missing', severity: 'warning', message, fingerprint, evidence: demand }];
  }
  const answer = evidence.find((one) => one.source === 'staple' && one.fingerprint === fingerprint)?.answer;
  if (answer?.state !== 'none' || answer.why === 'pending') return [];
  const why = revocationWhy(answer.why);
  return [
    {
      code: 'staple_invalid',
      severity: 'warning',
      message: `The OCSP answer that the server staples does not count. ${why}`,
      fingerprint,
      evidence: [{ label: 'Stapled answer', value: why }],
    },
  ];
}
