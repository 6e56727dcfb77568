import type { AlertDay, Step } from '../alert-steps.ts';
import type { AlertProblem, Client } from '../../../contract/check-words.ts';

/**
 * The problem of an incident. An endpoint has one incident per certificate of `expiry`, `revoked`, `changed`, `replacement_wanted`, `not_deployed`
 * and `refused_from`, one per certificate and cause of `renewal_fails`, one per end of the `registration`, and one of each other problem.
 */
export type Problem = AlertProblem;

/**
 * The events of an incident, each reported once: start, steps up to an expiry, flapping, and end. A revocation starts with
 * `revoked`. A chain that only some clients refuse starts with `some_clients`, and is `opened` when all do.
 */
export type AlertStep = Step | 'opened' | 'some_clients' | 'revoked' | 'flapping' | 'resolved';

/** The kind of an alert: the problem of its incident, or a test message. */
export type AlertKind = Problem | 'test';

/**
 * `critical`: clients cannot use the endpoint, or will not be able to within days; `warning`: other problems; `info`:
 * recoveries and test messages.
 */
export type AlertSeverity = 'critical' | 'warning' | 'info';

/** The data of a certificate that messages need. Instants are ms UTC. */
export interface AlertCertificate {
  fingerprint: string;
  notBefore: number;
  notAfter: number;
  role: 'leaf' | 'intermediate';
  name: string;
}

/** The end of a domain registration. `expiresAt` is in ms UTC; `registrar` is null if the registry does not name it. */
export interface RegistrationEnd {
  domain: string;
  expiresAt: number;
  registrar: string | null;
}

/** The day from which clients refuse a certificate. `from` is in ms UTC. */
export interface RefusalStart {
  from: number;
  clients: readonly Client[];
}

/** A renewal that will fail. `expectedAt` is in ms UTC. `zoneRecord`: the DNS record to write, as in a zone file; null if none would help. */
export interface RenewalAtRisk {
  expectedAt: number;
  zoneRecord: string | null;
}

/** The data of a message, as plain JSON. Instants are ms UTC. */
export interface AlertFacts {
  /**
   * The certificate that the alert is about. Null for outages and test messages, and if the finding is about a certificate
   * without expiry alerts.
   */
  certificate: AlertCertificate | null;
  /**
   * Time of the check that last read a certificate, which may be long before the alert. For an outage, when it was
   * confirmed.
   */
  asOf: number;
  /** The problem in one sentence; null if the kind of the alert describes it fully. */
  message: string | null;
  /** One concrete thing to do about the problem; null if there is none. */
  fix: string | null;
  /**
   * The certificate that is served now. Set for `changed`, and for recoveries except that from an outage; for `not_deployed` the one
   * that should be served.
   */
  successor: AlertCertificate | null;
  /** The registration that ends; after its renewal the new end. Set for `registration` only. */
  registration?: RegistrationEnd;
  /** Who refuses the certificate from when on. Set for `refused_from` only. */
  refusal?: RefusalStart;
  /**
   * When the renewal that will fail is expected, and the record to write. Set for `renewal_fails` only, and not at its end if forecasts were
   * turned off.
   */
  renewal?: RenewalAtRisk;
  /** Time by which the successor has to be served, ms UTC. Set for `not_deployed` only. */
  dueAt?: number;
  /** Start of the incident. */
  startedAt: number;
  /** End of the incident; null while it is open. */
  endedAt: number | null;
}

/** Returns the day that the alerts with these facts count down to; null if they do not. */
export function alertDay({
  registration,
  refusal,
  renewal,
}: Pick<AlertFacts, 'registration' | 'refusal' | 'renewal'>): AlertDay | null {
  if (registration !== undefined) return { kind: 'registration', at: registration.expiresAt };
  if (renewal !== undefined) return { kind: 'renewal', at: renewal.expectedAt };
  return refusal === undefined ? null : { kind: 'refusal', at: refusal.from };
}

/** An alert to be queued. */
export interface PlannedAlert {
  /** Id of the incident; null if the same check opens it, so that it has no id yet. */
  incidentId: string | null;
  problem: Problem;
  /**
   * Fingerprint of the certificate (for `renewal_fails` followed by the key of the cause), or key of the registration's end; empty if the
   * incident is about the endpoint.
   */
  fingerprint: string;
  step: AlertStep;
  severity: AlertSeverity;
  facts: AlertFacts;
}

/** The names of events in webhooks. Receivers depend on them, so they never change. */
export type AlertEvent =
  | 'certificate.renewal_overdue'
  | 'certificate.expiring'
  | 'certificate.expired'
  | 'certificate.renewed'
  | 'certificate.changed'
  | 'certificate.wrong_name'
  | 'certificate.name_fixed'
  | 'certificate.chain_broken'
  | 'certificate.chain_fixed'
  | 'certificate.revoked'
  | 'certificate.replaced'
  | 'certificate.replacement_wanted'
  | 'certificate.not_deployed'
  | 'certificate.deployed'
  | 'certificate.refused_from'
  | 'certificate.accepted'
  | 'certificate.renewal_at_risk'
  | 'certificate.renewal_safe'
  | 'registration.ending'
  | 'registration.renewed'
  | 'endpoint.down'
  | 'endpoint.up'
  | 'endpoint.flapping'
  | 'test';

/** Returns the event name of an alert. */
export function alertEvent(kind: AlertKind, step: AlertStep): AlertEvent {
  const isOver = step === 'resolved';
  switch (kind) {
    case 'expiry':
      if (isOver) return 'certificate.renewed';
      if (step === 'expired') return 'certificate.expired';
      return step === 'renewal_overdue' ? 'certificate.renewal_overdue' : 'certificate.expiring';
    case 'revoked':
      return isOver ? 'certificate.replaced' : 'certificate.revoked';
    case 'wrong_name':
      return isOver ? 'certificate.name_fixed' : 'certificate.wrong_name';
    case 'chain_broken':
      return isOver ? 'certificate.chain_fixed' : 'certificate.chain_broken';
    case 'changed':
      return 'certificate.changed';
    case 'replacement_wanted':
      return isOver ? 'certificate.replaced' : 'certificate.replacement_wanted';
    case 'not_deployed':
      return isOver ? 'certificate.deployed' : 'certificate.not_deployed';
    case 'refused_from':
      return isOver ? 'certificate.accepted' : 'certificate.refused_from';
    case 'renewal_fails':
      return isOver ? 'certificate.renewal_safe' : 'certificate.renewal_at_risk';
    case 'registration':
      return isOver ? 'registration.renewed' : 'registration.ending';
    case 'down':
      if (isOver) return 'endpoint.up';
      return step === 'flapping' ? 'endpoint.flapping' : 'endpoint.down';
    default:
      return 'test';
  }
}
