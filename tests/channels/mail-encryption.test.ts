import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { DeliveryOutcome } from '../../server/channels/definition.ts';
import { readMailbox } from '../../server/channels/email/bounce-mailbox.ts';
import { createEmailChannel } from '../../server/channels/email/email-channel.ts';
import { startImapServer } from '../kit/peers/imap-server.ts';
import { mintAuthority, selfSigned } from '../kit/certificates/mint.ts';
import { startSmtpSink } from '../kit/peers/smtp-sink.ts';
import { startStrippingProxy } from '../kit/peers/stripping-proxy.ts';
import type { ServerCertificate } from '../kit/peers/tls-server.ts';
import { promise } from '../security/promise.ts';

/** An address for which the product requires encryption. The system connects it to this machine nevertheless. */
const BEYOND = '0.0.0.0';
const PASSWORD = 'hunter2';
const never = new AbortController().signal;

const authority = mintAuthority();
const certificates = {
  verifiable: authority.issue({ commonName: BEYOND, ipAddresses: [BEYOND] }),
  'of another host': authority.issue({ dnsNames: ['other.example'] }),
  'that nobody signed': selfSigned({ ipAddresses: [BEYOND] }),
};

beforeAll(() => {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, authority.certificatePem]);
  afterAll(() => setDefaultCACertificates(before));
});

/** Starts a mail server, and a proxy that removes the server's offer of STARTTLS. */
async function smtpWorld(certificate: ServerCertificate = certificates.verifiable) {
  const sink = await startSmtpSink({ certificate });
  const proxy = await startStrippingProxy(sink);
  onTestFinished(async () => void (await Promise.all([proxy.stop(), sink.stop()])));
  return { sink, proxy };
}

/** Sends one mail, with a password, to the server at this port. */
async function send(
  { port }: { port: number },
  host = BEYOND,
  options = '',
  scheme = 'smtp',
): Promise<DeliveryOutcome> {
  const channel = createEmailChannel({
    smtpUrl: `${scheme}://alerts:${PASSWORD}@${host}:${port}${options}`,
    mailFrom: 'alerts@certlantern.example',
    captureDir: '/nowhere',
  });
  const [to, messageId] = ['alice@fjord.example', '<1@certlantern.example>'];
  const text = 'Soon.';
  const sent = await channel.deliver({ to, messageId, subject: text, text, html: text }, never);
  channel.close();
  return sent;
}

describe('smtp:// to another machine', () => {
  it('sends password and mail over TLS to a server whose certificate is verified', async () => {
    const { sink } = await smtpWorld();
    expect(await send(sink)).toMatchObject({ outcome: 'delivered' });
    expect(sink.passwords).toEqual([PASSWORD]);
    expect(sink.ledger).toEqual([expect.objectContaining({ tls: true })]);
  });

  it('sends neither password nor mail if STARTTLS is stripped, and reports it', async () => {
    const { sink, proxy } = await smtpWorld();
    expect(await send(proxy)).toEqual({
      outcome: 'retry',
      cause: 'unencrypted',
      detail: expect.stringMatching(
        /^The connection to the mail server could not be encrypted, so neither the password nor the mail was sent: /,
      ) as string,
    });
    expect(sink.passwords).toEqual([]);
    expect(sink.ledger).toEqual([]);
    expect(proxy.received()).toMatch(/^EHLO \S+\r\nSTARTTLS\r\n(?:QUIT\r\n)?$/);
    promise('mail-encryption');
  });

  it.each(['of another host', 'that nobody signed'] as const)(
    'sends neither password nor mail to a server with a certificate %s',
    async (name) => {
      const { sink } = await smtpWorld(certificates[name]);
      for (const options of ['', '?tls=opportunistic']) {
        expect(await send(sink, BEYOND, options)).toMatchObject({ outcome: 'retry', cause: 'unencrypted' });
        expect(sink.passwords).toEqual([]);
        expect(sink.ledger).toEqual([]);
      }
    },
  );

  it('sends unencrypted mail with tls=opportunistic only if the server offers no STARTTLS', async () => {
    const { sink, proxy } = await smtpWorld();
    expect(await send(proxy, BEYOND, '?tls=opportunistic')).toMatchObject({ outcome: 'delivered' });
    expect(sink.passwords).toEqual([PASSWORD]);
    expect(await send(sink, BEYOND, '?tls=opportunistic')).toMatchObject({ outcome: 'delivered' });
    expect(sink.ledger.map(({ tls }) => tls)).toEqual([false, true]);
  });
});

it.each([
  ['delivers over TLS to a server with a certificate that is', 'verifiable', { outcome: 'delivered' }],
  ['sends nothing to a server with a certificate', 'of another host', { cause: 'unencrypted' }],
  ['sends nothing to a server with a certificate', 'that nobody signed', { cause: 'unencrypted' }],
] as const)('smtps:// to another machine %s %s', async (_, name, outcome) => {
  const sink = await startSmtpSink({ certificate: certificates[name], secure: true });
  onTestFinished(() => sink.stop());
  expect(await send(sink, BEYOND, '', 'smtps')).toMatchObject(outcome);
  expect(sink.passwords).toEqual(name === 'verifiable' ? [PASSWORD] : []);
  expect(sink.ledger.map(({ tls }) => tls)).toEqual(name === 'verifiable' ? [true] : []);
});

it.each(['127.0.0.1', 'localhost'])(
  'smtp://%s needs no encryption and accepts a self-signed certificate',
  async (host) => {
    const { sink, proxy } = await smtpWorld(certificates['that nobody signed']);
    expect(await send(proxy, host)).toMatchObject({ outcome: 'delivered' });
    expect(await send(sink, host)).toMatchObject({ outcome: 'delivered' });
    expect(sink.ledger.map(({ tls }) => tls)).toEqual([false, true]);
  },
);

/** Starts a mailbox with one unread mail, and a proxy that removes the server's offer of STARTTLS. */
async function imapWorld(certificate: ServerCertificate = certificates.verifiable) {
  const imap = await startImapServer(certificate);
  imap.append('Subject: one\n\n');
  const proxy = await startStrippingProxy(imap);
  onTestFinished(async () => void (await Promise.all([proxy.stop(), imap.stop()])));
  return {
    imap,
    proxy,
    read: ({ port }: { port: number }, host = BEYOND, options = '') => {
      const url = imap.url.replace(/127\.0\.0\.1:\d+/, `${host}:${port}`);
      return readMailbox(`${url}${options}`, () => Promise.resolve('done'), never);
    },
  };
}

describe('imap:// to another machine', () => {
  it('reads the mailbox over TLS on a server whose certificate is verified', async () => {
    const { imap, proxy, read } = await imapWorld();
    proxy.stopStripping();
    expect(await read(proxy)).toBe(1);
    expect(imap.mails()).toEqual([]);
    expect(proxy.received()).not.toContain('LOGIN');
  });

  it('sends no password if STARTTLS is stripped, and reports it', async () => {
    const { imap, proxy, read } = await imapWorld();
    await expect(read(proxy)).rejects.toThrow(
      /^The connection to the mail server could not be encrypted, so the password was not sent: /,
    );
    expect(proxy.received()).not.toMatch(/LOGIN|AUTHENTICATE/i);
    expect(imap.mails()).toEqual([{ uid: 1, flags: [] }]);
    promise('mail-encryption');
  });

  it.each(['of another host', 'that nobody signed'] as const)(
    'sends no password to a server with a certificate %s',
    async (name) => {
      const { imap, read } = await imapWorld(certificates[name]);
      for (const options of ['', '?tls=opportunistic'])
        await expect(read(imap, BEYOND, options)).rejects.toThrow('could not be encrypted');
      expect(imap.mails()).toEqual([{ uid: 1, flags: [] }]);
    },
  );

  it('imap:// reads without encryption if tls=opportunistic is set or the server is on this machine', async () => {
    for (const [host, options] of [
      [BEYOND, '?tls=opportunistic'],
      ['127.0.0.1', ''],
      ['localhost', ''],
    ] as const) {
      const { proxy, read } = await imapWorld(certificates['that nobody signed']);
      expect(await read(proxy, host, options)).toBe(1);
      expect(proxy.received()).toContain('LOGIN');
    }
  });
});
