import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from '@playwright/test';
import { accountMessage } from '../../../server/channels/messages/account-message.ts';
import { LOGO_CONTENT_ID } from '../../../server/channels/messages/mail-layout.ts';
import type { RenderedMessage } from '../../../server/channels/messages/rendered-message.ts';
import type { AccountMail } from '../../../server/core/account-mail.ts';
import { type Changes, DAY, HOUR, LEAF, MINUTE, NOW, render } from '../../channels/alert-mails.ts';

const WIDTHS = [720, 360];
const LOGO = readFileSync(new URL('../../../server/channels/email/logo.png', import.meta.url)).toString(
  'base64',
);

const successor = {
  ...LEAF,
  fingerprint: 'bb'.repeat(32),
  notBefore: NOW - DAY,
  notAfter: NOW + 89 * DAY,
};
const alert = (kind: 'wrong_name' | 'chain_broken' | 'changed' | 'replacement_wanted' | 'down' | 'revoked') =>
  ({ kind, step: kind === 'revoked' ? 'revoked' : 'opened' }) as const;

/** Returns hosts that share a certificate. */
const sharing = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `${index}`,
    host: `h${index}.fjord.example`,
    port: 443,
  }));

const zone = { timeZone: 'Europe/Oslo' };
const ALERTS: Record<string, Changes> = {
  expires: zone,
  overdue: { ...zone, now: NOW - 20 * DAY, alert: { step: 'renewal_overdue', severity: 'warning' } },
  expired: { ...zone, now: NOW + 3 * DAY, alert: { step: 'expired' } },
  renewed: { ...zone, alert: { step: 'resolved', severity: 'info' }, facts: { successor } },
  revoked: {
    ...zone,
    alert: alert('revoked'),
    revoked: {
      fingerprint: 'aa',
      key: '',
      source: 'crl',
      at: NOW,
      revokedAt: NOW - DAY,
      reason: 'keyCompromise',
      role: 'leaf',
      name: LEAF.name,
      served: true,
      notBefore: LEAF.notBefore,
      notAfter: LEAF.notAfter,
    },
  },
  'wrong-name': {
    ...zone,
    alert: alert('wrong_name'),
    facts: {
      message: 'The certificate is valid only for shop.fjord.example and www.shop.fjord.example.',
      fix: 'Get a certificate that covers pay.fjord.example, or configure the server to use the right one for this name.',
    },
  },
  changed: { ...zone, alert: alert('changed'), facts: { successor } },
  'expires-on-many': {
    ...zone,
    group: { domains: sharing(300), fixedCount: 0 },
    certificateIs: { name: '*.fjord.example' },
    mail: { isAboutSeveral: true },
  },
  'not-deployed': {
    ...zone,
    alert: { kind: 'not_deployed', step: 'opened', severity: 'warning' },
    group: { domains: sharing(3), fixedCount: 297 },
    waiting: sharing(3).map((domain, index) => ({ ...domain, addresses: [`192.0.2.${index + 1}`] })),
    certificateIs: { name: '*.fjord.example' },
    facts: { successor: { ...successor, name: '*.fjord.example' } },
    mail: { isAboutSeveral: true },
  },
  'refused-from': {
    ...zone,
    alert: { kind: 'refused_from', step: '30d', severity: 'warning' },
    certificateIs: { notAfter: NOW + 90 * DAY },
    facts: {
      message:
        'From 20 December 2026, 12:00 UTC on, Firefox and Go refuse this certificate: its root “Fjord Root” expires then, and it leads to no other.',
      fix: 'Before 20 December 2026, 12:00 UTC, install a certificate that leads to another root.',
      refusal: { from: NOW + 30 * DAY, clients: ['firefox', 'go'] },
    },
  },
  'renewal-fails': {
    ...zone,
    alert: { kind: 'renewal_fails', step: 'opened', severity: 'warning' },
    certificateIs: { notAfter: NOW + 45 * DAY },
    facts: {
      message:
        "The CAA records of fjord.example allow only DigiCert. Let's Encrypt will refuse to renew the certificate for fjord.example.",
      fix: 'Add this record, or change to a CA that the records allow.',
      renewal: {
        expectedAt: NOW + 15 * DAY,
        zoneRecord: 'fjord.example. IN CAA 0 issue "letsencrypt.org"',
      },
    },
  },
  registration: {
    ...zone,
    alert: { kind: 'registration', step: '14d', severity: 'warning' },
    facts: {
      certificate: null,
      registration: {
        domain: 'fjord.example',
        expiresAt: NOW + 14 * DAY,
        registrar: 'Example Registrar, Inc.',
      },
    },
  },
  down: {
    ...zone,
    alert: alert('down'),
    facts: {
      certificate: null,
      startedAt: NOW - 2 * MINUTE,
      message: 'The server did not answer within 10 seconds.',
    },
  },
  'down-many': {
    ...zone,
    alert: alert('down'),
    group: { domains: sharing(40), fixedCount: 0 },
    facts: { certificate: null, startedAt: NOW - 2 * MINUTE },
    mail: { isAboutSeveral: true },
  },
  up: {
    ...zone,
    alert: { kind: 'down', step: 'resolved', severity: 'info' },
    facts: { certificate: null, startedAt: NOW - 3 * HOUR, endedAt: NOW - MINUTE },
  },
  test: { ...zone, alert: { kind: 'test', step: 'opened', severity: 'info' }, monitor: null },
};

const host = (name: string) => ({ host: `${name}.fjord.example`, port: 443 });
const NOTHING = { first: [], more: 0 };
const calm = {
  kind: 'digest' as const,
  from: NOW - 7 * DAY,
  until: NOW,
  watched: 12,
  uptime: [],
  attention: NOTHING,
  expiring: NOTHING,
  failing: NOTHING,
  renewed: NOTHING,
  incidents: NOTHING,
};
const ACCOUNT: Record<string, AccountMail> = {
  'verify-email': { kind: 'verify_email', url: 'https://certs.example/verify#t' },
  'reset-password': {
    kind: 'reset_password',
    url: 'https://certs.example/reset-password#t',
    expiresAt: NOW + 30 * MINUTE,
  },
  'password-changed': { kind: 'password_changed' },
  'premium-ended': {
    kind: 'premium_ended',
    source: 'trial',
    paused: ['pay', 'shop', 'status'].map((name) => host(name)),
  },
  feedback: {
    kind: 'feedback',
    from: { name: 'Alice Lind', email: 'alice@fjord.example', premium: true },
    message: 'The chain download works well.\nCould it also contain the root?',
  },
  'digest-calm': calm,
  digest: {
    ...calm,
    attention: {
      first: [
        { ...host('legacy'), concern: 'expiry', notAfter: NOW - 2 * DAY },
        { ...host('status'), concern: 'down', notAfter: NOW + 60 * DAY },
        { ...host('pay'), concern: 'expiry', notAfter: NOW + 2 * DAY },
      ],
      more: 4,
    },
    expiring: { first: [{ ...host('mail'), notAfter: NOW + 21 * DAY }], more: 0 },
    failing: {
      first: [
        {
          ...host('shop'),
          line: 'Next renewal will fail: CAA forbids Let’s Encrypt',
          expectedAt: NOW + 12 * DAY,
        },
      ],
      more: 0,
    },
    renewed: { first: [{ ...host('www'), notAfter: NOW + 88 * DAY }], more: 0 },
    incidents: {
      first: [{ ...host('status'), problem: 'down', startedAt: NOW - 3 * HOUR, endedAt: null }],
      more: 0,
    },
    uptime: [{ ...host('status'), percent: 98.2 }],
  },
  'reached-you': { kind: 'reached_you', ...host('pay'), more: 2 },
  'confirm-recipient': {
    kind: 'confirm_recipient',
    url: 'https://certs.example/confirm-recipient#t',
    accountName: 'alice@fjord.example',
  },
  'account-cleared': {
    kind: 'account_cleared',
    domains: 3,
    removed: { channels: 2, calendar_feeds: 1, status_pages: 1, authorities: 1 },
  },
  'channel-disabled': {
    kind: 'channel_disabled',
    name: 'Operations',
    channel: 'slack',
    reason: 'gone',
    detail: '410 Gone',
  },
  'address-refuses': {
    kind: 'channel_disabled',
    name: 'ops@fjord.example',
    channel: 'email',
    reason: 'refused',
    detail: '550 5.1.1 No such user here',
  },
  'operator-alarm': {
    kind: 'operator_alarm',
    code: 'smtp_refuses_us',
    since: NOW,
    detail: '535 5.7.8 Authentication credentials invalid',
  },
};

/** Mails as their readers see them, by the name of their picture. */
export const MAILS: { name: string; message: () => RenderedMessage }[] = [
  ...Object.entries(ALERTS).map(([name, changes]) => ({
    name: `mail-${name}`,
    message: () => render({ ...changes, ...(changes.monitor === null && { mail: { monitor: null } }) }),
  })),
  ...Object.entries(ACCOUNT).map(([name, content]) => ({
    name: `mail-${name}`,
    message: () =>
      accountMessage({
        content,
        createdAt: NOW,
        productName: 'Certlantern',
        unsubscribeTokens: { page: 't0ken', oneClick: '0nce' },
        publicUrl: new URL('https://certs.example'),
        timeZone: 'Europe/Oslo',
      }),
  })),
];

/** Takes pictures of each mail in a light and a dark theme, and in a program that inverts colours by itself. */
export async function pictureMails(
  browser: Browser,
  names: readonly string[],
  folder: string,
): Promise<void> {
  const page = await browser.newPage();
  const session = await page.context().newCDPSession(page);
  for (const { name, message } of MAILS.filter((mail) => names.includes(mail.name)))
    for (const width of WIDTHS)
      for (const theme of ['light', 'dark', 'forced'] as const) {
        await page.setViewportSize({ width, height: 600 });
        await page.emulateMedia({ colorScheme: theme === 'dark' ? 'dark' : 'light' });
        await session.send('Emulation.setAutoDarkModeOverride', { enabled: theme === 'forced' });
        await page.setContent(
          message().html.replaceAll(`cid:${LOGO_CONTENT_ID}`, `data:image/png;base64,${LOGO}`),
        );
        await page.screenshot({ path: join(folder, `${name}-${width}-${theme}.png`), fullPage: true });
      }
  await page.context().close();
}
