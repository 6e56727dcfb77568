import { describe, expect, it } from 'vitest';
import type { AccountMail } from '../../server/core/account-mail.ts';
import { accountMessage } from '../../server/channels/messages/account-message.ts';

const AT = Date.UTC(2026, 10, 20, 14, 30);
const MINUTE = 60_000;

const render = (content: AccountMail, productName = 'Certlantern') =>
  accountMessage({
    content,
    createdAt: AT,
    productName,
    publicUrl: new URL('https://certs.example'),
    timeZone: 'UTC',
  });

const paused = (count: number) =>
  Array.from({ length: count }, (_, host) => ({ host: `${host}.fjord.example`, port: 443 }));
const feedback = (change: Partial<Extract<AccountMail, { kind: 'feedback' }>['from']> = {}, message = 'Hi') =>
  render({
    kind: 'feedback',
    from: { name: 'Alice', email: 'alice@fjord.example', premium: false, ...change },
    message,
  });

describe('a mail about the account', () => {
  it('contains the link that verifies the address', () => {
    const url = 'https://certs.example/verify#t0ken';
    const { subject, text, html } = render({ kind: 'verify_email', url });
    expect(subject).toBe('Confirm your address');
    expect(text).toContain(`Confirm your address:\n${url}\n`);
    expect(html).toContain(`href="${url}"`);
    expect(text).toContain('Somebody created an account at certs.example with this address.');
  });

  it('says how long the reset link is valid and what to do if nobody asked for it', () => {
    const url = 'https://certs.example/reset-password#t0ken';
    const { subject, preheader, text, html } = render({
      kind: 'reset_password',
      url,
      expiresAt: AT + 30 * MINUTE,
    });
    expect(subject).toBe('Reset your password');
    expect(preheader).toBe('The link works once, for 30 minutes, until 15:00 UTC.');
    expect(text).toContain('If it was not you, ignore this email');
    for (const part of [text, html]) expect(part).toContain(url);
  });

  it('says when the password was changed and what to do if somebody else did it', () => {
    const { subject, text } = render({ kind: 'password_changed' });
    expect(subject).toBe('Your password was changed');
    expect(text.replaceAll(/\s+/g, ' ')).toContain('API tokens and the calendar link stopped working');
    expect(text).toContain('Changed: 20 November 2026, 14:30 UTC');
    expect(text).toContain('If it was not, secure the account now');
    expect(text).toContain('Set a new password:\nhttps://certs.example/forgot-password\n');
  });

  it('lists in one sentence what was removed when the owner of the address took over the account', () => {
    const { subject, text } = render({
      kind: 'account_cleared',
      domains: 2,
      removed: { channels: 2, calendar_feeds: 1, authorities: 1 },
    });
    expect(subject).toBe('We reset your account');
    expect(text.replaceAll(/\s+/g, ' ')).toContain(
      'so we logged out every browser, removed 2 alert channels, 1 calendar link, 1 private authority and the alert history, and ' +
        'reset the profile, notes, tags and alert settings.',
    );
    expect(text.replaceAll(/\s+/g, ' ')).toContain(
      'Resume the domains that are yours and remove the rest. 2 domains are paused because they were added before you ' +
        'confirmed this address.',
    );
    const empty = render({ kind: 'account_cleared', domains: 0, removed: { badges: 1 } }).text;
    expect(empty.replaceAll(/\s+/g, ' ')).toContain(
      'every browser, removed 1 badge and the alert history, and reset the profile',
    );
    expect(empty).not.toContain('paused');
  });

  it('names the domains that the end of Premium pauses, and says which are still checked', () => {
    const { subject, preheader, text } = render({
      kind: 'premium_ended',
      source: 'trial',
      paused: [{ host: 'xn--bcher-kva.example', port: 8443 }, ...paused(1)],
    });
    expect(subject).toBe('Your Premium trial has ended');
    expect(preheader).toBe('2 domains are paused now; nothing was deleted.');
    expect(text).toContain('Paused: bücher.example:8443\n        0.fjord.example\n');
    expect(text).toContain('checks 3 domains once a day. Your oldest domains stay active');
    expect(text).toContain('https://certs.example/dashboard');
  });

  it('says that all domains are still checked if none is paused when Premium ends; of 400 paused domains, lists only ten', () => {
    const none = render({ kind: 'premium_ended', source: 'subscription', paused: [] });
    expect(none.subject).toBe('Your Premium plan has ended');
    expect(none.text).toContain('We still check all your domains');
    expect(none.text).not.toContain('Paused');
    const many = render({ kind: 'premium_ended', source: 'grant', paused: paused(400) });
    expect(many.text).toContain('9.fjord.example\n        and 390 more\n');
    expect(many.html.length).toBeLessThan(20_000);
  });

  it.each([
    ['gone', 'we switched it off', 'switch it on again'],
    ['failing', 'we switched it off', 'switch it on again'],
    ['refused', 'we no longer send alerts to it', 'send the recipient the link again'],
  ] as const)('says why a channel was switched off (%s) and what to do', (reason, preheader, remedy) => {
    const mail = render({
      kind: 'channel_disabled',
      name: 'Operations',
      channel: 'email',
      reason,
      detail: '550 No such user',
    });
    expect(mail.subject).toBe('Alerts no longer reach Operations');
    expect(mail.preheader).toContain(preheader);
    expect(mail.text.replaceAll(/\s+/g, ' ')).toContain(remedy);
    expect(mail.text).toContain('550 No such user');
  });

  it('throws for an unknown kind', () => {
    expect(() => render({ kind: 'surprise' } as unknown as AccountMail)).toThrow('surprise');
  });
});

describe('a feedback mail', () => {
  it('has the sender as reply address and marks Premium accounts in its subject', () => {
    expect(feedback({ premium: true })).toMatchObject({
      subject: '[Premium] Feedback from Alice',
      replyTo: 'alice@fjord.example',
    });
    expect(feedback().subject).toBe('Feedback from Alice');
    expect(feedback({ name: '' }).subject).toBe('Feedback from alice@fjord.example');
  });

  it('keeps the line breaks of the message', () => {
    const { text, html } = feedback({}, 'One\r\n\r\n  2 > 1 👩‍💻\nThree');
    expect(text).toContain('One\n\n  2 > 1 👩‍💻\nThree');
    expect(html).toMatch(/One<br \/>\s*<br \/>\s*2 &gt; 1 👩‍💻<br \/>/);
  });

  const hostile = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    'Fjord\r\nBcc: eve@evil.example\r\n\r\n<p>body',
    'a\0b\u202eevil\u2028c\ud800',
    'x'.repeat(300),
    '&lt;b&gt; &amp;',
  ];
  it.each(hostile)('shows %j as text, never as markup or a header', (words) => {
    const sent = feedback({ name: words, email: `${words}@evil.example` }, words);
    expect(sent.html).not.toMatch(/<script|<img src=x|<p>body|<b>|' onmouseover='/);
    for (const line of [sent.subject, sent.preheader]) {
      expect(line).not.toMatch(/[\p{Cc}\u2028\u202e]/u);
      expect(line.isWellFormed()).toBe(true);
    }
    expect(sent.subject.length).toBeLessThan(150);
    // Only the message keeps the line breaks that its sender typed; all other fields lose them.
    expect(sent.text.split('\n').filter((line) => line.startsWith('Bcc:')).length).toBeLessThan(2);
    expect(sent.text).not.toMatch(/[\0\u202e]/);
    expect(tags(sent.html)).toEqual(tags(feedback({}, words.replaceAll(/[^\r\n]/gu, 'x')).html));
  });

  const tags = (html: string) => html.match(/<\/?[a-z][a-z0-9]*/gi);
});
