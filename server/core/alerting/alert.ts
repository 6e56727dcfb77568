import type { Step } from '../alert-steps.ts';

/** What can be wrong with an endpoint for a while. With a fingerprint: one incident for each certificate. */
export type Problem =
  'expiry' | 'revoked' | 'wrong_name' | 'chain_broken' | 'changed' | 'replacement_wanted' | 'down';

/**
 * What an incident is told once for: that it began, a step before the end of a certificate, that it comes and goes, and that
 * it is over. A revocation's beginning is called `revoked`, that of a chain which only some clients refuse `some_clients`: it
 * is `opened` when all do.
 */
export type AlertStep = Step | 'opened' | 'some_clients' | 'revoked' | 'flapping' | 'resolved';

/** What an alert is about; a test of a channel is about nothing. */
export type AlertKind = Problem | 'test';

/** `critical`: people are turned away, or will be within days; `info`: good news. */
export type AlertSeverity = 'critical' | 'warning' | 'info';

/** A certificate as messages name it. Instants are ms UTC. */
export interface AlertCertificate {
  fingerprint: string;
  notBefore: number;
  notAfter: number;
  role: 'leaf' | 'intermediate';
  name: string;
}

/** What a message needs to know; plain JSON. Instants are ms UTC. */
export interface AlertFacts {
  /** The certificate it is about; null where it is about the endpoint. */
  certificate: AlertCertificate | null;
  /** When that was last seen; before the alert's time where the host could not be reached since. */
  asOf: number;
  /** What is wrong as one sentence of the verdict; null where the kind says it all. */
  message: string | null;
  /** What to do about it. */
  fix: string | null;
  /** The certificate that is served now, of `changed` and of good news. */
  successor: AlertCertificate | null;
  /** Of the incident. */
  startedAt: number;
  endedAt: number | null;
}

/** Something to be told. */
export interface PlannedAlert {
  /** Null: of the incident with this problem and fingerprint that opens with it. */
  incidentId: string | null;
  problem: Problem;
  /** Empty where the incident is about the endpoint. */
  fingerprint: string;
  step: AlertStep;
  severity: AlertSeverity;
  facts: AlertFacts;
}
