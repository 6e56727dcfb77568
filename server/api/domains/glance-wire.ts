import type { GlanceWire } from '../../../contract/glance.ts';
import { displayName, type Finding, fixFor, type ReachFailure, whatHappened } from '../../core/index.ts';
import type { GlanceAnswer } from '../../store/checks/glances.ts';
import { iso, isoOrNull, revocationWire, seenState } from '../http/wire.ts';

/** A look without an account in the wire's form. `now` is ms UTC. */
export function glanceWire(
  endpoint: { host: string; port: number },
  { verdict, leaf, chain, names }: GlanceAnswer,
  now: number,
): GlanceWire {
  return {
    hostname: endpoint.host,
    port: endpoint.port,
    display_name: displayName(endpoint),
    state: seenState({ certificate: leaf, verdict }, now),
    issuer: leaf?.issuer ?? null,
    subject: leaf?.subject ?? null,
    valid_from: isoOrNull(leaf?.notBefore),
    expiry_date: isoOrNull(leaf?.notAfter),
    authority_name: leaf?.authorityName ?? null,
    fingerprint: leaf?.fingerprint ?? null,
    renewal_from: isoOrNull(verdict.renewal?.from),
    trusted: verdict.reached ? verdict.trusted : null,
    findings: verdict.findings.map((finding) => findingWire(finding, displayName(endpoint))),
    revocation: revocationWire(verdict),
    unreachable: verdict.failure && {
      stage: verdict.failure.stage,
      reason: verdict.failure.reason,
      message: verdict.failure.message,
      since: iso(verdict.observedAt),
    },
    sans: leaf?.sans ?? [],
    sans_total: names,
    chain: chain.map(({ subject, issuer, notAfter }) => ({ subject, issuer, expiry_date: iso(notAfter) })),
    addresses: verdict.addresses.map(({ address, tlsVersion, failure }) => ({
      address,
      tls_version: tlsVersion,
      failure: failure && addressFailure(failure.reason),
    })),
    checked_at: iso(verdict.observedAt),
  };
}

/** There is no file to send along: what says "send this file" is said in the way without one. */
function findingWire(finding: Finding, host: string): GlanceWire['findings'][number] {
  const { code, severity, message, addresses, attachment, command } = finding;
  const fix = attachment === null ? finding.fix : fixFor({ code, severity, attachment: null }, host);
  return { code, severity, message, addresses, fix, command };
}

/** Whether there is IPv6 here says nothing about the host's other addresses. */
function addressFailure(reason: ReachFailure): string {
  return reason === 'no_route_here' ? 'could not be tried: there is no IPv6 here' : whatHappened(reason);
}
