import type { ReportWire } from '../../contract/domain-report.ts';
import { assessUptime, certificateFacts, revocationWhy, whatHappened } from '../../server/core/index.ts';
import type { PostureVerdict } from '../../server/core/index.ts';
import { publicKeyName } from '../../server/pki/index.ts';
import { chainPem, type Checked, markdownReport } from './check-endpoint.ts';

const iso = (at: number): string => new Date(at).toISOString();
const isoOrNull = (at: number | null): string | null => (at === null ? null : iso(at));

/** One endpoint for programs: what a domain and its report are in the API, in one object and by the same names. */
export function jsonReport(checked: Checked, now: number) {
  const { endpoint, host, verdict, observation, leaf } = checked;
  const { revocation, renewal, limiting } = verdict;
  const { state, responseMs, cause } = assessUptime(observation);
  const { http } = observation;
  return {
    hostname: endpoint.host,
    port: endpoint.port,
    protocol: endpoint.protocol,
    display_name: host,
    reached: verdict.reached,
    failure: verdict.failure,
    trusted: verdict.trusted,
    uptime: { state, response_ms: responseMs, cause },
    http:
      http === null
        ? null
        : {
            outcome: http.outcome,
            address: http.address,
            method: http.outcome === 'answered' ? http.method : null,
            status: http.outcome === 'answered' ? http.status : null,
            failure: http.outcome === 'answered' ? null : http.reason,
            response_ms: http.durationMs,
          },
    certificate: leaf === null ? null : certificateWire(leaf),
    limiting_expiry_date: limiting === null ? null : iso(limiting.notAfter),
    renewal:
      renewal === null
        ? null
        : {
            from: iso(renewal.from),
            to: iso(renewal.to),
            source: renewal.source,
            explanation_url: renewal.explanationUrl,
          },
    revocation: {
      state: revocation.state,
      source: revocation.source,
      reason: revocation.reason,
      revoked_at: isoOrNull(revocation.revokedAt),
    },
    ...reportWire(checked, now),
  };
}

function certificateWire(leaf: NonNullable<Checked['leaf']>) {
  const facts = certificateFacts(leaf);
  return {
    fingerprint: facts.fingerprint,
    serial_number: facts.serialNumber,
    subject: facts.subject,
    issuer: facts.issuer,
    authority_name: facts.authorityName,
    authority_full_dn: facts.authorityFullDn,
    authority_url: facts.authorityUrl,
    valid_from: iso(facts.notBefore),
    expiry_date: iso(facts.notAfter),
    public_key: publicKeyName(leaf.key),
    sans: facts.sans,
  };
}

function reportWire(checked: Checked, now: number): ReportWire {
  const { verdict } = checked;
  return {
    checked_at: iso(verdict.observedAt),
    findings: verdict.findings,
    addresses: verdict.addresses.map((one) => ({
      address: one.address,
      family: one.family,
      fingerprint: one.fingerprint,
      expiry_date: isoOrNull(one.notAfter),
      tls_version: one.tlsVersion,
      group: one.group,
      response_ms: one.durationMs,
      failure: one.failure === null ? null : whatHappened(one.failure.reason),
      is_ours: one.failure?.reason === 'no_route_here',
    })),
    path: verdict.path.map(({ fingerprint, name, role, notAfter, source }) => ({
      fingerprint,
      name,
      role,
      expiry_date: iso(notAfter),
      source,
    })),
    chain_pem: chainPem(checked),
    revocation_sources: verdict.revocation.sources.map((one) => ({
      source: one.source,
      url: one.url,
      checked_at: iso(one.at),
      state: one.state,
      why: one.why === null ? null : revocationWhy(one.why),
      this_update: isoOrNull(one.thisUpdate),
      next_update: isoOrNull(one.nextUpdate),
    })),
    posture: verdict.posture === null ? null : postureWire(verdict.posture),
    markdown: markdownReport(checked, now),
  };
}

function postureWire(posture: PostureVerdict): NonNullable<ReportWire['posture']> {
  const { at, tlsVersions, postQuantum, caa, registration, alternates } = posture;
  return {
    checked_at: iso(at),
    tls_versions: tlsVersions,
    post_quantum: postQuantum,
    caa,
    registration:
      registration.outcome === 'expires'
        ? {
            outcome: registration.outcome,
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
