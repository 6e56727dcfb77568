import type { Client } from '../../../contract/check-words.ts';
import { describe, expect, it } from 'vitest';
import {
  type AlertCertificate,
  alertEvent,
  type AlertFacts,
  type AlertKind,
  type AlertStep,
} from './alert.ts';
import { alertTitle } from './alert-title.ts';
import { stepLabel } from '../alert-steps.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const END = Date.UTC(2026, 10, 22, 23, 30);
const certificate: AlertCertificate = {
  fingerprint: 'aa',
  notBefore: END - 90 * DAY,
  notAfter: END,
  role: 'leaf',
  name: 'pay.fjord.example',
};
const facts: AlertFacts = {
  certificate,
  asOf: END,
  message: null,
  fix: null,
  successor: null,
  startedAt: END,
  endedAt: null,
};
const title = (kind: AlertKind, step: AlertStep, changes: Partial<AlertFacts> = {}, now = END - 2 * DAY) =>
  alertTitle({
    kind,
    step,
    now,
    displayName: 'pay.fjord.example',
    timeZone: null,
    facts: { ...facts, ...changes },
  });
const intermediate = { certificate: { ...certificate, role: 'intermediate' as const } };
const renewed = { successor: { ...certificate, fingerprint: 'bb', notAfter: END + 60 * DAY } };

const renewal = { renewal: { expectedAt: END, zoneRecord: null } };
const refusal = (...clients: Client[]) => ({ refusal: { from: END, clients } });

describe('the title of an alert', () => {
  it.each([
    [title('expiry', 'three_days'), 'pay.fjord.example expires in 2 days'],
    [title('expiry', '2d', {}, END - 5 * HOUR), 'pay.fjord.example expires in 5 hours'],
    [title('expiry', 'renewal_overdue'), 'pay.fjord.example expires in 2 days, renewal overdue'],
    [title('expiry', 'critical', {}, END), 'pay.fjord.example expired on 22 November 2026, 23:30 UTC'],
    [
      title('expiry', 'critical', intermediate),
      'pay.fjord.example: an intermediate certificate expires in 2 days',
    ],
    [title('expiry', 'resolved', renewed), 'pay.fjord.example’s certificate was renewed'],
    [title('expiry', 'resolved', { successor: certificate }), 'pay.fjord.example’s certificate was replaced'],
    [title('expiry', 'resolved', intermediate), 'pay.fjord.example: the chain was renewed'],
    [title('revoked', 'revoked'), 'pay.fjord.example’s certificate was revoked'],
    [title('revoked', 'resolved', renewed), 'pay.fjord.example’s revoked certificate was replaced'],
    [
      title('registration', '7d', {
        registration: { domain: 'fjord.example', expiresAt: END, registrar: null },
      }),
      'The registration of fjord.example ends in 2 days',
    ],
    [
      title('refused_from', '7d', refusal('firefox')),
      'Firefox will refuse pay.fjord.example’s certificate in 2 days',
    ],
    [
      title('refused_from', '7d', refusal('firefox', 'go'), END),
      'Firefox and Go refuse pay.fjord.example’s certificate since 22 November 2026, 23:30 UTC',
    ],
    [
      title('refused_from', '60d', refusal('firefox', 'apple', 'openssl', 'go')),
      '4 clients will refuse pay.fjord.example’s certificate in 2 days',
    ],
    [
      title('renewal_fails', 'opened', renewal),
      'pay.fjord.example’s certificate renewal in 2 days will fail',
    ],
    [title('renewal_fails', '3d', renewal, END), 'pay.fjord.example’s certificate renewal will fail'],
    [
      title('renewal_fails', 'resolved', { ...renewed, ...renewal }),
      'pay.fjord.example’s certificate was renewed',
    ],
    [
      title('renewal_fails', 'resolved', { successor: certificate }),
      'pay.fjord.example: renewals of the certificate are not forecast any more',
    ],
    [
      title('renewal_fails', 'resolved', { successor: certificate, ...renewal }),
      'pay.fjord.example: a problem with the next certificate renewal is solved',
    ],
    [title('refused_from', 'resolved', renewed), 'pay.fjord.example’s certificate was replaced'],
    [
      title('refused_from', 'resolved', { successor: certificate }),
      'pay.fjord.example’s certificate will not be refused any more',
    ],
    [title('wrong_name', 'opened'), 'pay.fjord.example serves a certificate for another name'],
    [title('wrong_name', 'resolved'), 'pay.fjord.example serves a certificate for its own name again'],
    [title('chain_broken', 'opened'), 'pay.fjord.example’s certificate chain is broken'],
    [title('chain_broken', 'some_clients'), 'pay.fjord.example’s certificate chain is incomplete'],
    [title('chain_broken', 'resolved'), 'pay.fjord.example’s certificate chain is fixed'],
    [title('changed', 'opened', renewed), 'pay.fjord.example’s certificate changed unexpectedly'],
    [
      title('replacement_wanted', 'opened'),
      'pay.fjord.example: the authority wants the certificate replaced',
    ],
    [
      title('replacement_wanted', 'resolved', renewed),
      'pay.fjord.example’s certificate was replaced, as its authority wanted',
    ],
    [
      title('replacement_wanted', 'resolved', { successor: certificate }),
      'pay.fjord.example: the authority no longer wants the certificate replaced',
    ],
    [title('down', 'opened'), 'pay.fjord.example is down'],
    [title('down', 'flapping'), 'pay.fjord.example is flapping: down 3 times in 6 hours'],
    [title('down', 'resolved'), 'pay.fjord.example is up again'],
    [title('test', 'opened'), 'Test message from pay.fjord.example'],
  ])('says %s', (said, expected) => {
    expect(said).toBe(expected);
  });

  it('gives dates in the time zone of the reader, or in UTC if the time zone is unknown', () => {
    const said = (timeZone: string) =>
      alertTitle({ kind: 'expiry', step: 'expired', facts, displayName: 'a.example', now: END, timeZone });
    expect(said('Europe/Oslo')).toBe('a.example expired on 23 November 2026');
    expect(said('Nowhere/Atlantis')).toBe('a.example expired on 22 November 2026');
  });
});

it('alertEvent returns for each kind and step the name of an event, such as certificate.expiring', () => {
  const events = (kind: AlertKind, ...steps: AlertStep[]) => steps.map((step) => alertEvent(kind, step));
  expect(events('expiry', 'renewal_overdue', 'warning', '20d', 'expired', 'resolved')).toEqual([
    'certificate.renewal_overdue',
    'certificate.expiring',
    'certificate.expiring',
    'certificate.expired',
    'certificate.renewed',
  ]);
  expect(events('revoked', 'revoked', 'resolved')).toEqual(['certificate.revoked', 'certificate.replaced']);
  expect(events('down', 'opened', 'flapping', 'resolved')).toEqual([
    'endpoint.down',
    'endpoint.flapping',
    'endpoint.up',
  ]);
});

it('stepLabel describes alert steps in words, such as “14 days before”', () => {
  expect(stepLabel('14d')).toBe('14 days before');
  expect(stepLabel('1d')).toBe('1 day before');
  expect(stepLabel('20%')).toBe('20% of its lifetime left');
  expect(stepLabel('warning')).toBe('14 days before');
  expect(stepLabel('warning', 32 * HOUR)).toBe('32 hours before');
  expect(stepLabel('critical', 16 * HOUR)).toBe('16 hours before');
  expect(stepLabel('renewal_overdue')).toBe('renewal overdue');
  expect(stepLabel('expired')).toBe('when it expires');
});
