import type {
  AddressWire,
  PostureWire,
  ReportFindingWire,
  ReportWire,
} from '../../contract/domain-report.ts';
import {
  type AddressVerdict,
  displayName,
  type Finding,
  type PostureVerdict,
  reportMarkdown,
  revocationWhy,
  whatHappened,
} from '../core/index.ts';
import type { Monitor } from '../store/monitors.ts';
import { iso, isoOrNull } from './wire.ts';

/** Everything that the last check concluded, in the wire's form. `chainPem`: what the server should send. */
export function reportWire(
  monitor: Monitor,
  { chainPem, now }: { chainPem: string | null; now: number },
): ReportWire {
  const { verdict, certificate: facts } = monitor;
  const host = displayName(monitor);
  return {
    checked_at: isoOrNull(verdict?.observedAt),
    findings: (verdict?.findings ?? []).map(reportFinding),
    addresses: (verdict?.addresses ?? []).map(addressWire),
    path: (verdict?.path ?? []).map(({ fingerprint, name, role, notAfter, source }) => ({
      fingerprint,
      name,
      role,
      expiry_date: iso(notAfter),
      source,
    })),
    chain_pem: chainPem,
    revocation_sources: (verdict?.revocation.sources ?? []).map((asked) => ({
      source: asked.source,
      url: asked.url,
      checked_at: iso(asked.at),
      state: asked.state,
      why: asked.why && revocationWhy(asked.why),
      this_update: isoOrNull(asked.thisUpdate),
      next_update: isoOrNull(asked.nextUpdate),
    })),
    posture: verdict?.posture ? postureWire(verdict.posture) : null,
    markdown:
      verdict === null
        ? `# ${host}\n\nNothing is known yet: the first check is still to come.\n`
        : reportMarkdown({ host, verdict, facts, chainPem, now }),
  };
}

function reportFinding(finding: Finding): ReportFindingWire {
  const { code, severity, message, addresses, fingerprint, fix, command, evidence, attachment } = finding;
  return { code, severity, message, addresses, fingerprint, fix, command, evidence, attachment };
}

function addressWire(seen: AddressVerdict): AddressWire {
  return {
    address: seen.address,
    family: seen.family,
    fingerprint: seen.fingerprint,
    expiry_date: isoOrNull(seen.notAfter),
    tls_version: seen.tlsVersion,
    group: seen.group,
    response_ms: seen.durationMs,
    ...addressFailure(seen),
  };
}

/** What became of one address; `is_ours` where it was not tried for what our own side lacks. */
function addressFailure({
  failure,
}: Pick<AddressVerdict, 'failure'>): Pick<AddressWire, 'failure' | 'is_ours'> {
  if (failure === null) return { failure: null, is_ours: false };
  return failure.reason === 'no_route_here'
    ? { failure: 'was not looked at: there is no IPv6 here', is_ours: true }
    : { failure: whatHappened(failure.reason), is_ours: false };
}

function postureWire({
  at,
  tlsVersions,
  postQuantum,
  caa,
  registration,
  alternates,
}: PostureVerdict): PostureWire {
  return {
    checked_at: iso(at),
    tls_versions: tlsVersions,
    post_quantum: postQuantum,
    caa,
    registration:
      registration.outcome === 'expires'
        ? {
            outcome: 'expires',
            domain: registration.domain,
            expiry_date: iso(registration.expiresAt),
            registrar: registration.registrar,
          }
        : registration,
    alternates: alternates.map(({ keyType, certificate }) => ({
      key_type: keyType,
      fingerprint: certificate.fingerprint,
      name: certificate.name,
      expiry_date: iso(certificate.notAfter),
    })),
  };
}
