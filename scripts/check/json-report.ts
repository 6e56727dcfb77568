import { targetWire } from '../../server/api/domains/domain-wire.ts';
import { reportWire } from '../../server/api/domains/report-wire.ts';
import { assessUptime } from '../../server/core/check/uptime.ts';
import { certificateFacts } from '../../server/core/facts.ts';
import { publicKeyName } from '../../server/pki/public-key.ts';
import { type Checked, reportOf } from './check-endpoint.ts';

const iso = (at: number): string => new Date(at).toISOString();
const isoOrNull = (at: number | null): string | null => (at === null ? null : iso(at));

/**
 * Returns the report on an endpoint for --json: the API's report and facts about the endpoint. Fields that the API has too
 * have the same names.
 */
export function jsonReport(checked: Checked, now: number) {
  const { endpoint, host, verdict, observation, leaf } = checked;
  const { revocation, renewal, limiting } = verdict;
  const { state, responseMs, cause } = assessUptime(observation);
  const { http } = observation;
  return {
    ...endpointWire(endpoint),
    display_name: host,
    reached: verdict.reached,
    failure: verdict.failure,
    trusted: verdict.reached ? verdict.trusted : null,
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
    ...reportWire(reportOf(checked, now)),
  };
}

export function endpointWire({ host, port, protocol, target }: Checked['endpoint']) {
  return { hostname: host, port, protocol, target: targetWire(target) };
}

export function certificateWire(leaf: NonNullable<Checked['leaf']>) {
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
