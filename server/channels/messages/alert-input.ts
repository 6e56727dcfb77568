import type { ChosenStep } from '../../core/alert-steps.ts';
import type {
  AlertEvent,
  AlertFacts,
  AlertKind,
  AlertSeverity,
  AlertStep,
} from '../../core/alerting/alert.ts';
import type { CertificateFacts } from '../../core/facts.ts';
import type { Targeted } from '../../core/target.ts';
import type { RevokedCertificate } from '../../core/verdict.ts';
import type { DrawnMail } from './mail-layout.ts';

export interface AlertMessageInput {
  alert: {
    kind: AlertKind;
    step: AlertStep;
    severity: AlertSeverity;
    facts: AlertFacts;
    incidentId: string | null;
  };
  /**
   * Time of the decision to alert, ms UTC. If the certificate was last seen long before this time, the host was unreachable at
   * this time.
   */
  alertedAt: number;
  /** Monitor that the alert is about; null for a test message. */
  monitor: (Targeted & { id: string; lastCheckedAt: number | null }) | null;
  /**
   * The account's domains that the message names. Null, unless the message is about several outages or the certificate is or was
   * on several domains.
   */
  group: AlertGroup | null;
  /**
   * For `not_deployed`: the first ten domains that should serve a newer certificate, with the addresses that serve an older one.
   */
  waiting?: readonly (Targeted & { id: string; addresses: readonly string[] })[];
  /** Facts of the certificate that the alert is about; null if there is none, or if its facts were deleted. */
  certificate: CertificateFacts | null;
  /** Source, time and reason of a revocation; null for other alerts, or if the last verdict no longer has them. */
  revoked: RevokedCertificate | null;
  /** Alert steps chosen for the domain; null for the default steps. */
  steps: readonly ChosenStep[] | null;
  /** Time of rendering, ms UTC. */
  now: number;
  productName: string;
  publicUrl: URL;
  /** IANA name of a time zone. Times are shown in it and in UTC; null shows UTC only. */
  timeZone: string | null;
}

export interface AlertGroup {
  /** The domains that still have the problem; for a recovery, those that had it. Sorted by name, never empty. */
  domains: readonly (Targeted & { id: string; outage?: DomainOutage })[];
  /** Number of domains that had the problem and no longer have it. */
  fixedCount: number;
}

/** The incident of one domain in a message about several outages. Times are in ms UTC. */
export type DomainOutage = Pick<AlertMessageInput['alert'], 'incidentId'> &
  Pick<AlertFacts, 'startedAt' | 'endedAt' | 'message'>;

/**
 * An alert as words and as data, which every channel renders in its own format. Create it for each attempt, because the
 * words depend on `now`.
 */
export interface AlertContent extends AlertWords {
  event: AlertEvent;
  severity: AlertSeverity;
  /** Subject on one line. */
  subject: string;
  button: DrawnMail['button'];
  /** Time of the decision to alert, ms UTC. */
  alertedAt: number;
  /** Id of the incident. All messages about an incident have the same; null for a test message. */
  incidentId: string | null;
  /** Whether the message says that the problem is over. */
  resolves: boolean;
  /** The alert for programs: a JSON object with times in ISO 8601 UTC and keys in snake_case. Contains no secrets. */
  data: Record<string, unknown>;
}

/** The words of an alert, which depend on its kind. */
export interface AlertWords extends Pick<
  DrawnMail,
  'badge' | 'heading' | 'paragraphs' | 'bullets' | 'bar' | 'facts'
> {
  preheader: string;
  /** A sentence about when such alerts are sent. */
  schedule: string;
}

/** Input for alerts about a domain, with the fields that all words need. Test messages have no domain. */
export interface DomainAlertInput extends AlertMessageInput {
  monitor: NonNullable<AlertMessageInput['monitor']>;
  timeZone: string;
  /** Display name of the domain, or of a certificate that several domains serve. */
  host: string;
}

/** Returns the certificate of the alert. @throws TypeError if the alert has none. */
export function certificateOf({ alert }: DomainAlertInput): NonNullable<AlertFacts['certificate']> {
  if (alert.facts.certificate === null)
    throw new TypeError(`An alert of the kind ${alert.kind} needs a certificate.`);
  return alert.facts.certificate;
}

/**
 * Returns the facts of the alert's certificate; null if they are missing, or if the given facts belong to another certificate.
 */
export function alertCertificateFacts({ alert, certificate }: AlertMessageInput): CertificateFacts | null {
  return certificate?.fingerprint === alert.facts.certificate?.fingerprint ? certificate : null;
}
