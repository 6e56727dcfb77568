import type { Step } from '../alert-steps.ts';
import type { AlertProblem } from '../../../contract/words.ts';

/** What can be wrong with an endpoint for a while. Problems with a fingerprint have one incident per certificate. */
export type Problem = AlertProblem;

/**
 * What an incident reports once each: its start, a step before a certificate's expiry, flapping, and its
 * end. A revocation starts with `revoked`. A chain that only some clients refuse starts with
 * `some_clients`, and is `opened` when all do.
 */
export type AlertStep = Step | 'opened' | 'some_clients' | 'revoked' | 'flapping' | 'resolved';

/** The subject of an alert; a test message has none. */
export type AlertKind = Problem | 'test';

/** `critical`: clients refuse the endpoint, or will within days; `info`: a recovery. */
export type AlertSeverity = 'critical' | 'warning' | 'info';

/** A certificate as messages name it. Instants are ms UTC. */
export interface AlertCertificate {
  fingerprint: string;
  notBefore: number;
  notAfter: number;
  role: 'leaf' | 'intermediate';
  name: string;
}

/** The data of a message, as plain JSON. Instants are ms UTC. */
export interface AlertFacts {
  /** The certificate it is about; null where it is about the endpoint. */
  certificate: AlertCertificate | null;
  /** When that was last seen; earlier than the alert if the host has not been reached since. */
  asOf: number;
  /** The problem in one sentence of the verdict; null where the kind says it all. */
  message: string | null;
  /** What to do about it. */
  fix: string | null;
  /** The certificate that is served now; set for `changed` and for recoveries. */
  successor: AlertCertificate | null;
  /** Of the incident. */
  startedAt: number;
  endedAt: number | null;
}

/** An alert to be queued. */
export interface PlannedAlert {
  /** Null: the incident with this problem and fingerprint opens in the same step. */
  incidentId: string | null;
  problem: Problem;
  /** Empty where the incident is about the endpoint. */
  fingerprint: string;
  step: AlertStep;
  severity: AlertSeverity;
  facts: AlertFacts;
}

/** The stable names of events, as webhooks carry them. */
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
    case 'down':
      if (isOver) return 'endpoint.up';
      return step === 'flapping' ? 'endpoint.flapping' : 'endpoint.down';
    default:
      return 'test';
  }
}
