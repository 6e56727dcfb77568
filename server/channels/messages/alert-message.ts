import type { CertificateFacts, PlannedAlert, RevokedCertificate } from '../../core/index.ts';
import { expiryMessage } from './expiry-message.ts';
import type { RenderedMessage } from './rendered-message.ts';
import { revokedMessage } from './revoked-message.ts';

export interface AlertMessageInput {
  alert: Pick<PlannedAlert, 'step' | 'fingerprint' | 'notBefore' | 'notAfter' | 'role' | 'name' | 'asOf'>;
  /** When the alert was decided. A certificate last seen well before that means: the host was unreachable then. */
  alertedAt: number;
  monitor: { id: string; host: string; port: number; lastCheckedAt: number | null };
  /** The host's certificate, or the one that the alert is about; null where the facts are gone. */
  certificate: CertificateFacts | null;
  now: number;
  productName: string;
  publicUrl: URL;
  /** IANA name: times are shown in it and in UTC. null: in UTC alone. */
  timeZone: string | null;
}

/** The mail of an alert, in the words of `now`: render it anew at every attempt. */
export function alertMessage(
  input: AlertMessageInput & {
    alert: Pick<PlannedAlert, 'kind'>;
    /** Of an alert about a revocation: who says so, when and why. */
    revoked: RevokedCertificate | null;
  },
): RenderedMessage {
  return input.alert.kind === 'revoked' ? revokedMessage(input) : expiryMessage(input);
}
