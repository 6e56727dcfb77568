import type { FailedObservation, Observation, ReachFailure, ReachStage } from './observation.ts';

/** What happened, as the end of a sentence whose subject is a host or some of its addresses. */
const HAPPENED: Record<ReachFailure, string> = {
  name_not_found: 'does not exist in DNS',
  no_addresses: 'has no address in DNS',
  dns_failed: 'could not be looked up: its name servers answered with an error',
  dns_timeout: 'could not be looked up: its name servers did not answer in time',
  dns_refused: 'could not be looked up: the name server refused to answer',
  resolver_silent: 'could not be looked up: the name server that is used here does not answer',
  address_refused: 'leads to an address that cannot be tracked here',
  refused: 'refused the connection',
  reset: 'broke off the connection',
  timeout: 'did not answer in time',
  unroutable: 'cannot be reached from here: no route leads to it',
  no_route_here: 'has IPv6 addresses only, and there is no IPv6 here',
  not_tls: 'answered, but not with TLS',
  tls_alert: 'ended the TLS handshake with an error',
  protocol_version: 'speaks no TLS version that can be used',
  no_certificate: 'showed no certificate',
  too_large: 'sent more certificates than can be accepted',
  closed: 'closed the connection before showing a certificate',
  wrong_protocol: 'answered in another protocol',
  starttls_refused: 'offers no change to TLS (STARTTLS)',
  starttls_injection: 'sent plain text after it had agreed to change to TLS',
  not_examined: 'could not be checked: examining it took too long and was ended',
  other: 'could not be reached',
};
/** How far a look came; the furthest tells most about the host. */
const STAGES: readonly ReachStage[] = ['policy', 'dns', 'connect', 'starttls', 'handshake', 'examination'];

/** "did not answer in time", for a sentence of one's own. */
export function whatHappened(reason: ReachFailure): string {
  return HAPPENED[reason];
}

/**
 * Why nothing was reached, by the most telling of the failures: the one that came furthest, and what the host did before
 * what our own side lacks. Null where an address did answer.
 */
export function mostTellingFailure(
  observation: Observation,
  host: string,
): { stage: ReachStage; reason: ReachFailure; message: string } | null {
  const { resolution, addresses } = observation;
  const tell = (stage: ReachStage, reason: ReachFailure, suffix = '') => ({
    stage,
    reason,
    message: `${host} ${HAPPENED[reason]}${suffix}.`,
  });
  if (!resolution.ok) return tell(resolution.stage, resolution.reason);
  if (addresses.some(({ outcome }) => outcome === 'handshake')) return null;
  const failed = addresses.filter((address): address is FailedObservation => address.outcome === 'failed');
  const weight = ({ stage, reason }: FailedObservation): number =>
    reason === 'no_route_here' ? -1 : STAGES.indexOf(stage);
  const [worst] = failed.toSorted((left, right) => weight(right) - weight(left));
  if (worst === undefined) return tell('dns', 'no_addresses');
  const alert = worst.tlsAlert === null ? '' : ` (TLS alert ${worst.tlsAlert})`;
  return tell(worst.stage, worst.reason, alert);
}
