import type { Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Protocol } from '../../contract/protocols.ts';
import type { Observation } from '../../server/core/observation.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createTrustStore } from '../../server/pki/trust-store.ts';
import { createProbe } from '../../server/probe/probe.ts';
import { NO_SOURCES } from '../kit/product/stand-ins.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { PATIENT, STOPPED, stopTimers } from '../kit/peers/loopback.ts';
import { type RawPeer, startRawPeer } from '../kit/peers/raw-peers.ts';
import { type ScriptedPeer, startScriptedPeer, type Step } from '../kit/peers/scripted-peer.ts';
import { goodbyeOf, GOODBYES, goodbyeSteps } from './goodbyes.ts';
import { REFUSALS, type Talk, TALKS } from './starttls-talks.ts';

const certificate = mintAuthority()
  .intermediate()
  .issue({ dnsNames: ['site.test'] });
const policy = createAddressPolicy(['127.0.0.0/8'], () => []);
const resolver = { resolve: () => Promise.resolve({ ok: true as const, addresses: ['127.0.0.1'] }) };
const shaken = { addresses: [{ outcome: 'handshake' }] };

/** Ports at which a connection starts with TLS, by protocol. */
const DIRECT_PORTS = {
  smtp: 465,
  imap: 993,
  pop3: 995,
  ftp: 990,
  nntp: 563,
  ldap: 636,
  xmpp: 5223,
  'xmpp-server': 5270,
  postgres: 5432,
} as const satisfies Partial<Record<Protocol, number>>;
const DIRECT = Object.entries(DIRECT_PORTS) as [keyof typeof DIRECT_PORTS, number][];
const UPGRADED = Object.keys(GOODBYES) as (keyof typeof GOODBYES)[];

/** Checks the peer at the port `connectTo` as if it had the port `port`. */
function observe(protocol: Protocol, connectTo: number, port = connectTo): Promise<Observation> {
  const probe = createProbe({ resolver, policy, sources: NO_SOURCES, now: Date.now, timeouts: PATIENT });
  const target = JSON.stringify({ connect_to: `127.0.0.1:${connectTo}` });
  return probe.observe(
    { host: 'site.test', port, protocol, target },
    { signal: new AbortController().signal, trustStore: createTrustStore([]), withPosture: false },
  );
}

async function talking(before: readonly Step[], insideTls: readonly Step[]): Promise<ScriptedPeer> {
  const peer = await startScriptedPeer(before, { certificate, insideTls });
  onTestFinished(() => peer.stop());
  return peer;
}

const talkOf = (protocol: Protocol): Talk => TALKS.find((talk) => talk.protocol === protocol) as Talk;

describe('The goodbye', () => {
  it.each(UPGRADED)('of %s after STARTTLS is that of its clients', async (protocol) => {
    const talk = talkOf(protocol);
    const peer = await talking(talk.steps, goodbyeSteps(talk, 'upgraded'));
    expect(await observe(protocol, peer.port)).toMatchObject(shaken);
    await expect.poll(() => peer.endings).toEqual(['close_notify']);
    expect(peer.unexpected).toEqual([]);
  });

  it.each(DIRECT)(
    'of %s at port %i, where connections start with TLS, follows the greeting',
    async (protocol, port) => {
      const { direct = [], steps } = goodbyeOf(protocol);
      const peer = await talking([], [...direct, ...steps]);
      expect(await observe('tls', peer.port, port)).toMatchObject(shaken);
      await expect.poll(() => peer.endings).toEqual(['close_notify']);
      expect(peer.unexpected).toEqual([]);
    },
  );

  it('is only a close_notify at a port without a known service', async () => {
    const peer = await talking([], [{ sends: '220 who are you\r\n' }]);
    expect(await observe('tls', peer.port)).toMatchObject(shaken);
    await expect.poll(() => peer.endings).toEqual(['close_notify']);
    expect(peer.unexpected).toEqual([]);
  });

  it('is sent in plain text if the server does not offer STARTTLS', async () => {
    for (const protocol of UPGRADED) {
      const refusal = REFUSALS.find((one) => one.protocol === protocol && one.reason === 'no_starttls');
      if (refusal === undefined) continue;
      const peer = await startScriptedPeer([...refusal.steps, ...goodbyeSteps(refusal, 'refused')]);
      onTestFinished(() => peer.stop());
      expect(await observe(protocol, peer.port)).toMatchObject({
        addresses: [{ outcome: 'failed', reason: 'no_starttls' }],
      });
      expect(peer.unexpected).toEqual([]);
    }
  });

  it('of mysql ends the session at once if the server accepts the login', async () => {
    const [login] = goodbyeOf('mysql').steps;
    const ok = Buffer.from('07000003 00000002000000'.replaceAll(' ', ''), 'hex');
    const quit = Buffer.from('0100000001', 'hex');
    const peer = await talking(talkOf('mysql').steps, [login as Step, { sends: ok }, { expects: quit }]);
    expect(await observe('mysql', peer.port)).toMatchObject(shaken);
    await expect.poll(() => peer.endings).toEqual(['close_notify']);
    expect(peer.unexpected).toEqual([]);
  });

  it.each([
    ['caching_sha2_password', '00'],
    ['mysql_clear_password', '00'],
    ['client_ed25519', '00'.repeat(64)],
  ])('of mysql answers the plugin %s as clients without a password do', async (plugin, answer) => {
    const [login, , , denied] = goodbyeOf('mysql').steps;
    const asked = packet(3, Buffer.from(`\xfe${plugin}\0${'s'.repeat(20)}\0`, 'latin1'));
    const answered = packet(4, Buffer.from(answer, 'hex'));
    const peer = await talking(talkOf('mysql').steps, [
      login as Step,
      { sends: asked },
      { expects: answered },
      denied as Step,
    ]);
    expect(await observe('mysql', peer.port)).toMatchObject(shaken);
    await expect.poll(() => peer.endings).toEqual(['close_notify']);
    expect(peer.unexpected).toEqual([]);
  });
});

describe('The goodbye to Dovecot, which logs a session without a login as suspicious,', () => {
  it.each([
    ['smtp', '220 mail.test Dovecot (Debian) ready.\r\n'],
    ['imap', '* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] Dovecot (Debian) ready.\r\n'],
    [
      'imap',
      '* OK [CAPABILITY IMAP4rev1 SASL-IR LOGIN-REFERRALS ID ENABLE IDLE LITERAL+ AUTH=PLAIN] Hello.\r\n',
    ],
    ['pop3', '+OK Dovecot (Debian) ready.\r\n'],
  ] as const)('of %s first asks for a login mechanism that no server has: %j', async (protocol, greeting) => {
    const { dovecot, steps } = GOODBYES[protocol];
    const peer = await talking([], [{ sends: greeting }, ...dovecot, ...steps]);
    expect(await observe('tls', peer.port, DIRECT_PORTS[protocol])).toMatchObject(shaken);
    await expect.poll(() => peer.endings).toEqual(['close_notify']);
    expect(peer.unexpected).toEqual([]);
  });

  it.each(['smtp', 'imap', 'sieve'] as const)(
    'of %s also does so after STARTTLS if the server’s owner has changed the greeting',
    async (protocol) => {
      const talk = TALKS.find(
        (one) => one.protocol === protocol && JSON.stringify(one.steps).includes('Dovecot'),
      );
      const changed = talk?.steps.map((step) =>
        'sends' in step ? { sends: step.sends.toString().replaceAll('Dovecot', 'Mail') } : step,
      );
      const { upgraded = [], dovecot = [], steps } = goodbyeOf(protocol);
      const peer = await talking(changed ?? [], [...upgraded, ...dovecot, ...steps]);
      expect(await observe(protocol, peer.port)).toMatchObject(shaken);
      await expect.poll(() => peer.endings).toEqual(['close_notify']);
      expect(peer.unexpected).toEqual([]);
    },
  );

  it('is the usual one for a mail server that only asks Dovecot for logins', async () => {
    const peer = await talking(
      [],
      [{ sends: '220 mail.test ESMTP Postfix with Dovecot\r\n' }, ...GOODBYES.smtp.steps],
    );
    expect(await observe('tls', peer.port, 465)).toMatchObject(shaken);
    await expect.poll(() => peer.endings).toEqual(['close_notify']);
    expect(peer.unexpected).toEqual([]);
  });
});

describe('A slow server', () => {
  it('gets its goodbye in the background if it greets after the result of the check', async () => {
    const { promise: isChecked, resolve: greet } = Promise.withResolvers<void>();
    const heard: string[] = [];
    const { port } = await serving((tls) => {
      tls.on('data', (bytes: Buffer) => {
        heard.push(bytes.toString('latin1'));
        tls.end('221 Bye\r\n');
      });
      void isChecked.then(() => tls.write('220 mail.test\r\n'));
    });
    expect(await observe('tls', port, 465)).toMatchObject(shaken);
    expect(heard).toEqual([]);
    greet();
    await expect.poll(() => heard).toEqual(['QUIT\r\n']);
  });

  it('where connections start with TLS has a minute to greet before it is told goodbye', async () => {
    stopTimers();
    const heard: string[] = [];
    const { promise: connection, resolve: markConnected } = Promise.withResolvers<TLSSocket>();
    const { port } = await serving((tls) => {
      tls.on('data', (bytes: Buffer) => heard.push(bytes.toString('latin1')));
      markConnected(tls);
    });
    const seen = { isPending: true };
    const observation = observe('tls', port, 465).finally(() => (seen.isPending = false));
    const tls = await connection;
    let passed = 0;
    for (; seen.isPending && passed < 50_000; passed += 100) {
      vi.advanceTimersByTime(100);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await observation).toMatchObject(shaken);
    vi.advanceTimersByTime(59_000 - passed);
    tls.write('220 mail.test\r\n');
    await expect.poll(() => heard, STOPPED).toEqual(['QUIT\r\n']);
  });
});

describe('A hostile server', () => {
  const hostile: [string, (tls: TLSSocket, socket: Socket) => void][] = [
    ['never answers', () => undefined],
    ['floods', (tls) => flood(tls, Buffer.alloc(16 * 1024, 'x'))],
    ['floods with greetings', (tls) => flood(tls, Buffer.from('220-more\r\n'.repeat(1_000)))],
    [
      'resets the connection',
      (tls, socket) => {
        tls.write('220 hi\r\n');
        tls.once('data', () => setImmediate(() => socket.resetAndDestroy()));
      },
    ],
    ['closes the connection', (tls) => void tls.end()],
  ];
  it.each(hostile)('that %s during the goodbye changes no result', async (_, behave) => {
    const { port: connectTo } = await serving(behave);
    const seen = await Promise.all(DIRECT.map(([, port]) => observe('tls', connectTo, port)));
    for (const one of seen) expect(one).toMatchObject(shaken);
  });
});

/** Starts a server whose connections begin with TLS. After the handshake, `behave` decides what it does. */
async function serving(behave: (tls: TLSSocket, socket: Socket) => void): Promise<RawPeer> {
  const secureContext = createSecureContext({ cert: certificate.certificatePem, key: certificate.keyPem });
  const peer = await startRawPeer((socket) => {
    const tls = new TLSSocket(socket, { isServer: true, secureContext });
    tls.on('error', () => tls.destroy());
    tls.once('secure', () => behave(tls, socket));
    tls.resume();
  });
  onTestFinished(() => peer.stop());
  return peer;
}

function flood(tls: TLSSocket, bytes: Buffer): void {
  const send = (): void => {
    while (!tls.destroyed && tls.write(bytes));
  };
  tls.on('drain', send);
  send();
}

function packet(sequence: number, payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from([payload.length, 0, 0, sequence]), payload]);
}
