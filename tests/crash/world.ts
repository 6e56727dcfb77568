import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { grantPremium } from '../../server/store/accounts.ts';
import { type App, freePort, startApp } from '../kit/app.ts';
import { type Database, type DatabaseName, freshDatabase } from '../kit/database.ts';
import { startDnsServer } from '../kit/dns-server.ts';
import { mintAuthority } from '../kit/mint.ts';
import { type Person, sendTo, signUp } from '../kit/people.ts';
import { silent, startRawPeer } from '../kit/raw-peers.ts';
import { type SmtpSink, startSmtpSink } from '../kit/smtp-sink.ts';
import { startTlsServer } from '../kit/tls-server.ts';

const DAY_MS = 86_400_000;

/** What the product deals with, in the process of the test: it outlives every kill. */
export interface World {
  sink: SmtpSink;
  mute: Awaited<ReturnType<typeof startRawPeer>>;
  /** Starts the product on the same data, port and settings each time. */
  start(): Promise<App>;
  /** Brings a new host up whose certificate ends in two days, so that its first check alerts; returns `host:port`. */
  newHost(): string;
  /** Somebody with Premium, signed in; needs the product to run. */
  arrive(): Promise<Person>;
  end(): Promise<void>;
}

export async function createWorld(name: DatabaseName): Promise<World> {
  const database: Database = await freshDatabase(name);
  const [dns, sink, mute, port] = await Promise.all([
    startDnsServer(),
    startSmtpSink(),
    startRawPeer(silent),
    freePort(),
  ]);
  const root = mintAuthority();
  const first = root.issue({ dnsNames: ['first.crash.example'] });
  const peer = await startTlsServer({ '*': first });
  dns.entries.set('mute.crash.example', { addresses: ['127.0.0.1'] });
  const authorityFile = join(database.dataDir, 'authority.pem');
  writeFileSync(authorityFile, root.certificatePem);
  const url = `http://localhost:${port}`;

  let hosts = 0;
  let running: App | null = null;
  return {
    sink,
    mute,
    async start() {
      running = await startApp({
        PORT: String(port),
        DATA_DIR: database.dataDir,
        DATABASE_URL: database.databaseUrl ?? '',
        SMTP_URL: sink.url,
        EGRESS_ALLOW_CIDRS: '127.0.0.0/8,::1/128',
        DNS_SERVERS: dns.address,
        EXTRA_CA_FILE: authorityFile,
      });
      return running;
    },
    newHost() {
      const host = `host${(hosts += 1)}.crash.example`;
      const now = Date.now();
      peer.setCertificate(
        host,
        root.issue({ dnsNames: [host], notBefore: now - 80 * DAY_MS, notAfter: now + 2.5 * DAY_MS }),
      );
      dns.entries.set(host, { addresses: ['127.0.0.1'] });
      return `${host}:${peer.port}`;
    },
    async arrive() {
      const person = await signUp(sendTo(url), { name: 'Bob' });
      const store = await database.open();
      // An address that nobody has proven gets few mails a day.
      await store.db.updateTable('accounts').set({ email_verified: 1 }).execute();
      await grantPremium(store, person.id, { grant: { endsAt: null }, now: Date.now() });
      await store.close();
      return person;
    },
    async end() {
      await running?.kill();
      await Promise.all([dns.stop(), sink.stop(), mute.stop(), peer.stop()]);
      await database.remove();
    },
  };
}
