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
  /** When the alert was decided, ms UTC. If the certificate was last seen well before, the host was unreachable then. */
  alertedAt: number;
  /** null: a test message. */
  monitor: { id: string; host: string; port: number; lastCheckedAt: number | null } | null;
  /** Facts of the certificate that the alert is about; null if there is none, or if its facts were deleted. */
  certificate: CertificateFacts | null;
  /** For an alert about a revocation: source, time and reason. */
  revoked: RevokedCertificate | null;
  /** The steps chosen for the domain; null: the default ones. */
  steps: readonly ChosenStep[] | null;
  now: number;
  productName: string;
  publicUrl: URL;
  /** IANA name. Times are shown in it and in UTC; null: in UTC only. */
  timeZone: string | null;
}

/** An alert in words and as data, which every channel renders in its own format. Make it for each attempt: the words depend on `now`. */
export interface AlertContent extends Words {
  event: AlertEvent;
  severity: AlertSeverity;
  /** One line. */
  subject: string;
  button: DrawnMail['button'];
  /** When the alert was decided, ms UTC. */
  alertedAt: number;
  /** The same for all messages about one incident; null for a test. */
  incidentId: string | null;
  /** The message says that the problem is over. */
  resolves: boolean;
  /** For programs: JSON with times in ISO 8601 UTC and names in snake_case. Contains no secrets. */
  data: Record<string, unknown>;
}

/** The words that depend on the kind of alert. */
export interface Words extends Pick<DrawnMail, 'badge' | 'heading' | 'paragraphs' | 'bar' | 'facts'> {
  preheader: string;
  /** A sentence about when such alerts are sent. */
  schedule: string;
}

/** An alert about a domain, so not a test, with what all words need. */
export interface AboutMonitor extends AlertMessageInput {
  monitor: NonNullable<AlertMessageInput['monitor']>;
  timeZone: string;
  /** Display name of the domain. */
  host: string;
}

/** Returns the certificate of the alert. @throws TypeError if the alert is about none. */
export function certificateOf({ alert }: AboutMonitor): NonNullable<AlertFacts['certificate']> {
  if (alert.facts.certificate === null)
    throw new TypeError(`An alert of the kind ${alert.kind} is about a certificate.`);
  return alert.facts.certificate;
}

/** Returns the facts if they belong to the certificate of the alert; they may belong to another one. */
export function issuedCertificate({ alert, certificate }: AlertMessageInput): CertificateFacts | null {
  return certificate?.fingerprint === alert.facts.certificate?.fingerprint ? certificate : null;
}
