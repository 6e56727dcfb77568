import { alertContent } from '../../server/channels/messages/alert-content.ts';
import type { AlertContent, AlertMessageInput } from '../../server/channels/messages/alert-input.ts';
import { alertMail, type AlertMailInput } from '../../server/channels/messages/alert-mail.ts';
import type { RenderedMessage } from '../../server/channels/messages/rendered-message.ts';
import type { AlertFacts } from '../../server/core/alerting/alert.ts';
import type { CertificateFacts } from '../../server/core/facts.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const NOT_AFTER = Date.UTC(2026, 10, 22, 14, 32);
const NOT_BEFORE = NOT_AFTER - 90 * DAY;
export const NOW = NOT_AFTER - 2 * DAY;

export const FACTS: CertificateFacts = {
  fingerprint: 'aa',
  serialNumber: '0a0b',
  issuer: 'DigiCert TLS RSA 2020 CA1',
  subject: 'pay.fjord.example',
  notBefore: NOT_BEFORE,
  notAfter: NOT_AFTER,
  authorityName: 'DigiCert',
  authorityFullDn: 'CN=DigiCert TLS RSA 2020 CA1,O=DigiCert,C=US',
  authorityUrl: null,
  sans: ['pay.fjord.example'],
};

type Certificate = NonNullable<AlertFacts['certificate']>;

export const LEAF: Certificate = {
  fingerprint: 'aa',
  notBefore: NOT_BEFORE,
  notAfter: NOT_AFTER,
  role: 'leaf',
  name: 'pay.fjord.example',
};

export interface Changes extends Partial<Omit<AlertMessageInput, 'alert'>> {
  alert?: Partial<Omit<AlertMessageInput['alert'], 'facts'>>;
  facts?: Partial<AlertFacts>;
  certificateIs?: Partial<Certificate>;
  mail?: Partial<AlertMailInput>;
}

/** Returns the alert that pay.fjord.example expires in three days, as mailed to its owner a day later. Arguments change parts of it. */
export function content({ alert, facts, certificateIs, ...changes }: Changes = {}): AlertContent {
  const now = changes.now ?? NOW;
  return alertContent({
    alert: {
      kind: 'expiry',
      step: 'three_days',
      severity: 'critical',
      incidentId: 'inc-1',
      ...alert,
      facts: {
        certificate: { ...LEAF, ...certificateIs },
        asOf: now,
        message: null,
        fix: null,
        successor: null,
        startedAt: now,
        endedAt: null,
        ...facts,
      },
    },
    alertedAt: now,
    monitor: { id: '0c1d', host: 'pay.fjord.example', port: 443, lastCheckedAt: now },
    group: null,
    certificate: FACTS,
    revoked: null,
    steps: null,
    now,
    productName: 'Certlantern',
    publicUrl: new URL('https://certs.example'),
    timeZone: 'UTC',
    ...changes,
  });
}

export function render({ mail, ...changes }: Changes = {}): RenderedMessage {
  return alertMail(content(changes), {
    recipient: 'account',
    accountEmail: 'Alice',
    monitor:
      changes.monitor === undefined
        ? { id: '0c1d', host: 'pay.fjord.example', port: 443, lastCheckedAt: null }
        : changes.monitor,
    isAboutSeveral: false,
    tokens: { page: 't0ken', oneClick: '0nce' },
    productName: 'Certlantern',
    publicUrl: new URL('https://certs.example'),
    ...mail,
  });
}
