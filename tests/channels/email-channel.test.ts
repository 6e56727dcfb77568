import { randomUUID } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { simpleParser } from 'mailparser';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { isGenuine, readBounceAddress } from '../../server/channels/email/bounce-address.ts';
import {
  createEmailChannel,
  type EmailChannel,
  type EmailMessage,
  SMTP_TIMEOUTS,
} from '../../server/channels/email/email-channel.ts';
import { MINUTE_MS } from '../../contract/durations.ts';
import { temporaryFolder } from '../kit/product/app.ts';
import { startRawPeer } from '../kit/peers/raw-peers.ts';
import { type SmtpSink, startSmtpSink } from '../kit/peers/smtp-sink.ts';
import { promise } from '../security/promise.ts';

const FROM = 'Certlantern <alerts@certlantern.example>';
const message: EmailMessage = {
  to: 'alice@fjord.example',
  subject: 'pay.fjord.example expires in 2 days',
  html: '<p>Soon.</p><img src="cid:logo@certlantern" alt="">',
  text: 'Soon.',
  messageId: '<0f3e.delivery@certlantern.example>',
};
const never = new AbortController().signal;

describe('the email channel with SMTP', () => {
  let sink: SmtpSink;
  let channel: EmailChannel;
  beforeEach(async () => {
    sink = await startSmtpSink();
    channel = createEmailChannel({ smtpUrl: sink.url, mailFrom: FROM, captureDir: '/nowhere' });
  });
  afterEach(async () => {
    channel.close();
    await sink.stop();
  });

  it('delivers text, HTML and the logo under the given Message-ID', async () => {
    expect(await channel.deliver(message, never)).toMatchObject({ outcome: 'delivered' });
    const [mail] = sink.ledger;
    expect(mail).toMatchObject({
      from: 'alerts@certlantern.example',
      to: ['alice@fjord.example'],
      acknowledged: true,
      tls: true,
    });
    expect(mail?.messageId).toBe(message.messageId);
    expect(mail?.subject).toBe(message.subject);
    expect(mail?.text.trim()).toBe('Soon.');
    expect(mail?.parsed.headers.get('auto-submitted')).toBe('auto-generated');
    const [logo] = mail?.parsed.attachments ?? [];
    expect(logo).toMatchObject({
      cid: 'logo@certlantern',
      contentType: 'image/png',
      contentDisposition: 'inline',
    });
    expect(logo?.content.subarray(1, 4).toString()).toBe('PNG');
  });

  it('sends consecutive mails over one connection', async () => {
    for (const id of ['1', '2', '3']) {
      await channel.deliver({ ...message, messageId: `<${id}@certlantern.example>` }, never);
    }
    expect(sink.ledger).toHaveLength(3);
    expect(sink.connections).toBe(1);
  });

  it.each([
    ['greylist', { outcome: 'retry', detail: '451 4.7.1 Greylisted, try again later' }],
    [
      'refuse_recipient',
      { outcome: 'failed', detail: '550 5.1.1 No such user here', cause: 'refused_address' },
    ],
    ['refuse_message', { outcome: 'failed', detail: '554 5.7.0 Looks like spam', cause: 'operator' }],
    ['refuse_sender', { outcome: 'retry', detail: '553 5.7.1 Sender not allowed', cause: 'operator' }],
    // This reply refuses our server as the sender. It says nothing about the recipient, whose address is therefore not
    // suppressed.
    ['refuse_relay', { outcome: 'retry', detail: '554 5.7.1 Relay access denied', cause: 'operator' }],
  ] as const)(
    'reports the outcome of the SMTP reply in the case %s, and then delivers the next mail',
    async (behaviour, outcome) => {
      sink.behave(behaviour);
      expect(await channel.deliver(message, never)).toEqual(outcome);
      expect(sink.ledger).toEqual([]);
      sink.behave('accept');
      expect(await channel.deliver(message, never)).toMatchObject({ outcome: 'delivered' });
    },
  );

  it('sends a mail again under the same Message-ID if the server’s reply was lost', async () => {
    sink.behave('lose_reply');
    expect(await channel.deliver(message, never)).toMatchObject({ outcome: 'retry' });
    sink.behave('accept');
    expect(await channel.deliver(message, never)).toMatchObject({ outcome: 'delivered' });
    expect(sink.ledger.map(({ messageId, acknowledged }) => [messageId, acknowledged])).toEqual([
      [message.messageId, false],
      [message.messageId, true],
    ]);
  });

  it('says that the mail may arrive a second time if the reply to the complete mail was lost; does not say so if the connection broke earlier', async () => {
    sink.behave('lose_reply');
    expect(await channel.deliver(message, never)).toMatchObject({ outcome: 'retry', cause: 'no_reply' });
    const peer = await startRawPeer((socket) => {
      socket.write('220 mail.example ESMTP\r\n');
      socket.on(
        'data',
        (line) => void (line.includes('EHLO') ? socket.write('250 mail.example\r\n') : socket.end()),
      );
    });
    const smtpUrl = `smtp://127.0.0.1:${peer.port}`;
    const other = createEmailChannel({ smtpUrl, mailFrom: FROM, captureDir: '/nowhere' });
    onTestFinished(() => (other.close(), peer.stop()));
    expect(await other.deliver(message, never)).toEqual({
      outcome: 'retry',
      detail: 'Connection closed unexpectedly',
    });
  });

  it('asks for a retry while the SMTP server is down, and delivers once it is back', async () => {
    await channel.deliver(message, never);
    await sink.down();
    expect(await channel.deliver(message, never)).toMatchObject({ outcome: 'retry' });
    await sink.up();
    expect(await channel.deliver(message, never)).toMatchObject({ outcome: 'delivered' });
    expect(sink.ledger).toHaveLength(2);
  });

  it('stops waiting for a silent server when the delivery is aborted', async () => {
    sink.behave('silence');
    const stop = new AbortController();
    const outcome = channel.deliver(message, stop.signal);
    await sink.connected();
    stop.abort();
    expect(await outcome).toMatchObject({ outcome: 'retry' });
    expect(await channel.deliver(message, AbortSignal.abort())).toMatchObject({ outcome: 'retry' });
    expect(sink.ledger).toEqual([]);
  });

  it('does not let a line break or comma in any field add a header or a recipient', async () => {
    const hostile = {
      ...message,
      subject: 'a\r\nBcc: eve@evil.example\r\n\r\nbody',
      messageId: '<x@certlantern.example>\r\nBcc: eve@evil.example',
      replyTo: 'a@fjord.example>\r\nBcc: eve@evil.example',
    };
    await channel.deliver(hostile, never);
    const [mail] = sink.ledger;
    expect(mail?.to).toEqual(['alice@fjord.example']);
    expect(mail?.parsed.headers.has('bcc')).toBe(false);
    expect(mail?.raw.toString()).not.toMatch(/^Bcc:/im);

    for (const to of ['alice@fjord.example, eve@evil.example', 'a@b.example>\r\nRCPT TO:<eve@evil.example']) {
      await channel.deliver({ ...message, to }, never);
    }
    expect(sink.ledger.flatMap((one) => one.to)).not.toContain('eve@evil.example');
    promise('hostile-text');
  });
});

describe('the email channel with a mail server that delays its replies', () => {
  /** Starts a mail server, and an email channel that calls every reply slow. */
  async function slowSink(behaviour: Parameters<SmtpSink['behave']>[0]) {
    const sink = await startSmtpSink();
    sink.behave(behaviour);
    const timeouts = { slow: 1 };
    const channel = createEmailChannel({ smtpUrl: sink.url, mailFrom: FROM, captureDir: '', timeouts });
    onTestFinished(async () => {
      channel.close();
      await sink.stop();
    });
    return { sink, channel };
  }

  it('waits for every reply at least as long as RFC 5321 §4.5.3.2 asks, and for an attempt as long as for all replies together', () => {
    const { greeting, reply, attempt, connect } = SMTP_TIMEOUTS;
    expect(greeting).toBeGreaterThanOrEqual(5 * MINUTE_MS);
    expect(reply).toBeGreaterThanOrEqual(10 * MINUTE_MS);
    // Timeouts in minutes for the connection, greeting, TLS, EHLO twice, three replies for the login, MAIL, RCPT, DATA, and
    // the end of the mail.
    const replies = [5, 5, 5, 5, 5, 5, 5, 5, 2, 10];
    const total = replies.reduce((sum, minutes) => sum + minutes * MINUTE_MS, connect + 5 * MINUTE_MS);
    expect(attempt).toBeGreaterThan(total);
  });

  it('waits for the reply to the mail, says that it is slow, and learns that the mail was accepted', async () => {
    const { sink, channel } = await slowSink('hold_reply');
    const { promise: slow, resolve: onSlow } = Promise.withResolvers<void>();
    const sent = channel.deliver(message, never, onSlow);
    await Promise.all([slow, sink.waitFor(() => true)]);
    sink.sendReplies();
    expect(await sent).toMatchObject({ outcome: 'delivered' });
    expect(sink.ledger).toHaveLength(1);
  });

  it('sends another mail while four wait for their replies', async () => {
    const { sink, channel } = await slowSink((to) => (to.startsWith('slow') ? 'hold_reply' : 'accept'));
    const slow = [1, 2, 3, 4].map((id) =>
      channel.deliver(
        { ...message, to: 'slow@fjord.example', messageId: `<${id}@certlantern.example>` },
        never,
      ),
    );
    expect(await channel.deliver(message, never)).toMatchObject({ outcome: 'delivered' });
    await sink.waitFor(() => sink.ledger.length === 5);
    sink.sendReplies();
    expect(await Promise.all(slow)).toMatchObject(slow.map(() => ({ outcome: 'delivered' })));
  });

  it.concurrent.for([
    ['the connection', [], { detail: 'Greeting never received' }],
    ['EHLO', ['220 mail.example ESMTP'], { detail: 'Timeout' }],
    ['MAIL', ['220 mail.example ESMTP', '250 mail.example'], { detail: 'Timeout' }],
    [
      'the mail',
      ['220 mail.example ESMTP', '250 mail.example', '250 OK', '250 OK', '354 Go ahead'],
      { detail: expect.stringContaining('so the mail may arrive again: Timeout'), cause: 'no_reply' },
    ],
  ] as const)(
    'asks for a retry if the server does not answer %s in time',
    async ([, replies, outcome], context) => {
      const peer = await startRawPeer((socket) => {
        const left = replies.map((line) => `${line}\r\n`);
        const reply = (): void => void socket.write(left.shift() ?? '');
        reply();
        socket.on('data', reply);
      });
      // The other replies must arrive within their timeout even on a busy machine.
      const timeouts = { greeting: replies.length === 0 ? 500 : 60_000, reply: 2_500 };
      const smtpUrl = `smtp://127.0.0.1:${peer.port}`;
      const channel = createEmailChannel({ smtpUrl, mailFrom: FROM, captureDir: '', timeouts });
      context.onTestFinished(async () => {
        channel.close();
        await peer.stop();
      });
      context.expect(await channel.deliver(message, never)).toEqual({ outcome: 'retry', ...outcome });
    },
  );
});

it('the email channel reports that the mail server rejects us if it greets with 421', async () => {
  const peer = await startRawPeer((socket) => void socket.end('421 4.3.2 Too busy\r\n'));
  const smtpUrl = `smtp://127.0.0.1:${peer.port}`;
  const channel = createEmailChannel({ smtpUrl, mailFrom: FROM, captureDir: '/nowhere' });
  expect(await channel.deliver(message, never)).toEqual({
    outcome: 'retry',
    detail: 'The mail server rejects mail from us: 421 4.3.2 Too busy',
  });
  channel.close();
  await peer.stop();
});

it('the email channel gives each mail its own return address if bounces are configured', async () => {
  const sink = await startSmtpSink();
  const bounces = { address: 'bounces@certlantern.example', key: Buffer.alloc(32, 1) };
  const channel = createEmailChannel({ smtpUrl: sink.url, mailFrom: FROM, captureDir: '/nowhere', bounces });
  const id = randomUUID();
  await channel.deliver({ ...message, messageId: `<${id}@alerts.certlantern>` }, never);
  // A mail without an outbox id gets the plain return address.
  await channel.deliver(message, never);
  const [marked, plain] = sink.ledger;
  const mark = readBounceAddress(bounces.address, marked?.from ?? '');
  expect(mark?.id).toBe(id);
  expect(mark && isGenuine(bounces.key, mark, 'Alice@fjord.example')).toBe(true);
  expect(marked?.parsed.from?.text).toContain('alerts@certlantern.example');
  expect(marked?.to).toEqual(['alice@fjord.example']);
  expect(plain?.from).toBe('alerts@certlantern.example');
  channel.close();
  await sink.stop();
});

it("the email channel reports why it cannot reach the mail server, but not the server's address", async () => {
  const sink = await startSmtpSink();
  const { url } = sink;
  await sink.stop();
  const channel = createEmailChannel({ smtpUrl: url, mailFrom: FROM, captureDir: '/nowhere' });
  expect(await channel.deliver(message, never)).toMatchObject({
    outcome: 'retry',
    detail: 'The mail server cannot be reached: connect ECONNREFUSED',
  });
  channel.close();
});

describe('the email channel without SMTP', () => {
  it('writes each mail to one file that only its owner can read', async () => {
    const folder = temporaryFolder();
    const captureDir = join(folder.path, 'mail');
    const channel = createEmailChannel({ smtpUrl: null, mailFrom: FROM, captureDir });
    try {
      expect(await channel.deliver(message, never)).toMatchObject({ outcome: 'delivered' });
      expect(await channel.deliver({ ...message, subject: 'Again' }, never)).toMatchObject({
        outcome: 'delivered',
      });
      expect(await readdir(captureDir)).toEqual(['0f3e.delivery@certlantern.example.eml']);
      const file = join(captureDir, '0f3e.delivery@certlantern.example.eml');
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      const mail = await simpleParser(await readFile(file));
      expect(mail).toMatchObject({ subject: 'Again', messageId: message.messageId });
      expect(mail.attachments).toHaveLength(1);
    } finally {
      folder.remove();
    }
  });

  it('writes only to its folder, whatever the Message-ID, and asks for a retry if it cannot write', async () => {
    const folder = temporaryFolder();
    const captureDir = join(folder.path, 'mail');
    const channel = createEmailChannel({ smtpUrl: null, mailFrom: FROM, captureDir });
    try {
      await channel.deliver({ ...message, messageId: '<../../escape/x@y>' }, never);
      expect(await readdir(folder.path)).toEqual(['mail']);
      expect(await readdir(captureDir)).toEqual(['.._.._escape_x@y.eml']);
      const blocked = createEmailChannel({
        smtpUrl: null,
        mailFrom: FROM,
        captureDir: join(captureDir, '.._.._escape_x@y.eml'),
      });
      expect(await blocked.deliver(message, never)).toMatchObject({ outcome: 'retry' });
      expect(await channel.deliver(message, AbortSignal.abort())).toMatchObject({ outcome: 'retry' });
    } finally {
      folder.remove();
    }
  });
});
