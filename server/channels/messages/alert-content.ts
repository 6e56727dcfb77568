import type {
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

/** An alert in words and as data, for every channel to put into its own form; in the words of `now`: make it anew at every attempt. */
export interface AlertContent extends Pick<
  DrawnMail,
  'badge' | 'heading' | 'paragraphs' | 'bar' | 'facts' | 'button'
> {
  event: AlertEvent;
  severity: AlertSeverity;
  /** One line. */
  subject: string;
  preheader: string;
  /** Joins messages about one trouble; null for a test. */
  incidentId: string | null;
  /** What it says is that the trouble is over. */
  resolves: boolean;
  /** For programs: JSON with instants in ISO 8601 UTC, names in snake_case. No secrets. */
  data: Record<string, unknown>;
}
