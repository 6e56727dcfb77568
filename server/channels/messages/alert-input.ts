import type {
  AlertEvent,
  AlertFacts,
  AlertKind,
  AlertSeverity,
  AlertStep,
  CertificateFacts,
  ChosenStep,
  RevokedCertificate,
} from '../../core/index.ts';
import type { DrawnMail } from './mail-layout.ts';

export interface AlertMessageInput {
  alert: {
    kind: AlertKind;
    step: AlertStep;
    severity: AlertSeverity;
    facts: AlertFacts;
    incidentId: string | null;
  };
  /** When the alert was decided. A certificate last seen well before that means: the host was unreachable then. */
  alertedAt: number;
  /** null: a test of the channel. */
  monitor: { id: string; host: string; port: number; lastCheckedAt: number | null } | null;
  /** Of the certificate that the alert is about; null where there is none, and where its facts are gone. */
  certificate: CertificateFacts | null;
  /** Of an alert about a revocation: who says so, when and why. */
  revoked: RevokedCertificate | null;
  /** The steps that hold for the domain; null: the product's own. */
  steps: readonly ChosenStep[] | null;
  now: number;
  productName: string;
  publicUrl: URL;
  /** IANA name: times are shown in it and in UTC. null: in UTC alone. */
  timeZone: string | null;
}

/** An alert in words and as data, for every channel to put into its own form; in the words of `now`: make it anew at every attempt. */
export interface AlertContent extends Words {
  event: AlertEvent;
  severity: AlertSeverity;
  /** One line. */
  subject: string;
  button: DrawnMail['button'];
  /** When it was decided, ms UTC. */
  alertedAt: number;
  /** Joins messages about one trouble; null for a test. */
  incidentId: string | null;
  /** What it says is that the trouble is over. */
  resolves: boolean;
  /** For programs: JSON with instants in ISO 8601 UTC, names in snake_case. No secrets. */
  data: Record<string, unknown>;
}

/** What the kind of an alert decides on. */
export interface Words extends Pick<DrawnMail, 'badge' | 'heading' | 'paragraphs' | 'bar' | 'facts'> {
  preheader: string;
  /** When people are told of such a thing, as a sentence. */
  schedule: string;
}

/** An alert that is no test, with what its words need over and over. */
export interface AboutMonitor extends AlertMessageInput {
  monitor: NonNullable<AlertMessageInput['monitor']>;
  timeZone: string;
  /** As people write it. */
  host: string;
}

/** @throws TypeError where the alert is about no certificate. */
export function certificateOf({ alert }: AboutMonitor): NonNullable<AlertFacts['certificate']> {
  if (alert.facts.certificate === null)
    throw new TypeError(`An alert of the kind ${alert.kind} is about a certificate.`);
  return alert.facts.certificate;
}

/** What is known of that certificate; the facts at hand may be those of another one. */
export function issuedCertificate({ alert, certificate }: AlertMessageInput): CertificateFacts | null {
  return certificate?.fingerprint === alert.facts.certificate?.fingerprint ? certificate : null;
}
