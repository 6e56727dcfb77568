import { describe, expect, it } from 'vitest';
import { accountMessage } from '../../server/channels/messages/account-message.ts';
import type { RenderedMessage } from '../../server/channels/messages/rendered-message.ts';
import { type AccountMail, mailedLink } from '../../server/core/account-mail.ts';
import type { AlertKind } from '../../server/core/alerting/alert.ts';
import { type Changes, DAY, NOW, render } from './alert-mails.ts';
import { promise } from '../security/promise.ts';

const SITE = new URL('https://certs.example');
/** Returns a token as long as real ones. `place` makes it recognisable in the rendered mail. */
const token = (place: string) => `${place}-${'Ab3_'.repeat(10)}`;
const TOKENS = { page: token('page'), oneClick: token('once') };
const linkTo = (path: `/${string}`) => mailedLink(path, token('link'), SITE);

const NOTHING = { first: [], more: 0 };
const host = { host: 'pay.fjord.example', port: 443 };
/** One mail of every kind. A new kind must be added here, or the test does not compile. */
const ACCOUNT_MAILS: { [Kind in AccountMail['kind']]: Extract<AccountMail, { kind: Kind }> } = {
  verify_email: { kind: 'verify_email', url: linkTo('/verify') },
  reset_password: { kind: 'reset_password', url: linkTo('/reset-password'), expiresAt: NOW + DAY },
  password_changed: { kind: 'password_changed' },
  account_cleared: { kind: 'account_cleared', domains: 1, removed: { channels: 1 } },
  premium_ended: { kind: 'premium_ended', source: 'trial', paused: [host] },
  feedback: {
    kind: 'feedback',
    from: { name: 'Alice', email: 'alice@fjord.example', premium: false },
    message: 'Hello',
  },
  reached_you: { kind: 'reached_you', ...host, more: 0 },
  confirm_recipient: {
    kind: 'confirm_recipient',
    url: linkTo('/confirm-recipient'),
    accountName: 'Alice',
  },
  channel_disabled: {
    kind: 'channel_disabled',
    name: 'Operations',
    channel: 'slack',
    reason: 'gone',
    detail: '410 Gone',
  },
  digest: {
    kind: 'digest',
    from: NOW - 7 * DAY,
    until: NOW,
    watched: 1,
    uptime: [],
    attention: NOTHING,
    expiring: NOTHING,
    failing: NOTHING,
    renewed: NOTHING,
    incidents: NOTHING,
  },
  operator_alarm: { kind: 'operator_alarm', code: 'smtp_refuses_us', since: NOW, detail: '535' },
};
const ALERT_KINDS: Record<AlertKind, NonNullable<Changes['alert']>['step'][]> = {
  expiry: ['three_days', 'expired', 'resolved'],
  revoked: ['revoked'],
  wrong_name: ['opened', 'resolved'],
  chain_broken: ['opened', 'resolved'],
  changed: ['opened'],
  replacement_wanted: ['opened'],
  not_deployed: ['opened', 'resolved'],
  refused_from: ['30d', 'resolved'],
  renewal_fails: ['opened', 'resolved'],
  registration: ['30d', 'resolved'],
  down: ['opened', 'resolved'],
  test: ['opened'],
};

/** Mails with a link whose token acts for the reader, and the path of that link. */
const LINKS: Partial<Record<string, string>> = {
  verify_email: '/verify',
  reset_password: '/reset-password',
  confirm_recipient: '/confirm-recipient',
  digest: '/unsubscribe',
};

function addressesIn({ html, text }: RenderedMessage): URL[] {
  const written = [...html.matchAll(/(?:href|src)="([^"]+)"/g), ...text.matchAll(/(https?:\/\/\S+)/g)];
  return written
    .map(([, address = '']) => address.replaceAll('&amp;', '&'))
    .filter((address) => /^https?:/.test(address))
    .map((address) => new URL(address));
}

/** Asserts that tokens appear only behind #. Returns the paths of the links that have a token. */
function pathsWithToken(mail: RenderedMessage): string[] {
  const addresses = addressesIn(mail);
  for (const { pathname, search } of addresses) {
    expect(`${pathname}${search}`).not.toMatch(/Ab3_|[\w-]{40}/);
    // A link may name a domain, because without a session that opens nothing.
    expect([...new URLSearchParams(search).keys()].filter((name) => name !== 'domain')).toEqual([]);
  }
  expect(JSON.stringify([mail.html, mail.text, mail.subject])).not.toContain(TOKENS.oneClick);
  for (const value of Object.values(mail.headers ?? {})) expect(value).not.toContain(TOKENS.page);
  return [...new Set(addresses.filter(({ hash }) => hash.includes('Ab3_')).map(({ pathname }) => pathname))];
}

describe('the links of a mail', () => {
  it.each(Object.entries(ACCOUNT_MAILS))('have tokens only in the fragment after #: %s', (kind, content) => {
    const mail = accountMessage({
      content,
      createdAt: NOW,
      productName: 'Certlantern',
      publicUrl: SITE,
      timeZone: 'UTC',
      unsubscribeTokens: TOKENS,
    });
    expect(pathsWithToken(mail)).toEqual([LINKS[kind] ?? []].flat());
    expect(mail.headers?.['List-Unsubscribe']).toBe(
      kind === 'digest' ? `<https://certs.example/api/unsubscribe/${TOKENS.oneClick}>` : undefined,
    );
  });

  const alerts = Object.entries(ALERT_KINDS).flatMap(([kind, steps]) =>
    steps.flatMap((step) => (['account', 'added'] as const).map((recipient) => ({ kind, step, recipient }))),
  );
  it.each(alerts)(
    'have tokens only in the fragment after #: alert $kind, $step, to the recipient type $recipient',
    ({ kind, step, recipient }) => {
      const monitor = kind === 'test' ? { monitor: null } : {};
      const certificate = kind === 'down' ? { certificate: null } : {};
      const mail = render({
        alert: { kind: kind as AlertKind, step },
        ...monitor,
        facts: { ...certificate, ...(step === 'resolved' && { endedAt: NOW }) },
        mail: { recipient, tokens: TOKENS, ...monitor },
      });
      const isAsked = kind === 'test' && recipient === 'account';
      expect(pathsWithToken(mail)).toEqual(isAsked ? [] : ['/unsubscribe']);
      expect(mail.headers?.['List-Unsubscribe']).toBe(
        isAsked ? undefined : `<https://certs.example/api/unsubscribe/${TOKENS.oneClick}>`,
      );
      promise('links');
    },
  );
});
