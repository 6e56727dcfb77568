import type { FailedObservation, Observation, ReachFailure } from '../core/index.ts';

/**
 * What a peer did that a network cannot do by being cut: it answered, if not as it should. Everything else may be our own
 * side's doing: lost packets (timeout, also in the middle of a handshake or of the answer to a request), a firewall or a
 * router that answers for others (refused, reset, closed, unroutable), a resolver that cannot reach anybody and says so in
 * whatever words it has (SERVFAIL, REFUSED, silence, some even NXDOMAIN).
 */
const ANSWERED: ReadonlySet<ReachFailure> = new Set([
  'not_tls',
  'tls_alert',
  'protocol_version',
  'no_certificate',
  'too_large',
  'wrong_protocol',
  'starttls_refused',
  'starttls_injection',
]);

/** Said by us and not by any network: what the policy refuses, and that there is no IPv6 here. */
const isOurs = ({ stage, reason }: Pick<FailedObservation, 'stage' | 'reason'>): boolean =>
  stage === 'policy' || reason === 'no_route_here';

/** Whether a look failed in a way that the network between us and the endpoint may be to blame for. */
export function isNetworkFailure({ resolution, addresses, http }: Observation): boolean {
  if (!resolution.ok) return resolution.stage === 'dns';
  // Shook hands, but the request got no answer. An error of the server (5xx) is an answer.
  if (addresses.some(({ outcome }) => outcome === 'handshake'))
    return http !== null && http.outcome === 'failed' && ['timeout', 'closed'].includes(http.reason);
  const failed = addresses.filter((address): address is FailedObservation => address.outcome === 'failed');
  if (failed.some(({ reason }) => ANSWERED.has(reason))) return false;
  return failed.some((seen) => !isOurs(seen));
}
