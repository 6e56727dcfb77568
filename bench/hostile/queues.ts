import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import { MINUTE_MS } from '../../contract/durations.ts';
import { grantPremium } from '../../server/store/accounts/accounts.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { freshDatabase } from '../../tests/kit/databases/database.ts';
import { mintAuthority } from '../../tests/kit/certificates/mint.ts';
import { startDnsServer } from '../../tests/kit/peers/dns-server.ts';
import { startTlsServer } from '../../tests/kit/peers/tls-server.ts';
import { startApp } from '../../tests/kit/product/app.ts';
import { type Figure, percentile } from '../scale/figures.ts';
import { addAccount, addDomain } from './product.ts';
import { healthWhile, rssOf } from './routes.ts';

const HOSTS = 400;
const COMMAND_MS = 100;
/** Maximum delay of an alert, in ms, that another account's outages may add. */
const MAX_LATER_MS = 2_000;
const MAX_HEALTH_MS = 100;
const MAX_RSS_GROWTH_MB = 64;
const MAX_MAILS = 20;
const MB = 1_000_000;
const POLL_MS = 100;
/** Maximum wait for a mail, in ms. */
const PATIENCE_MS = 5 * MINUTE_MS;

/**
 * Measures how long an alert of one account takes, first alone and then while `HOSTS` hosts of another account go down. The
 * mail server delays its reply to each command by 0.1 s.
 */
export async function measureQueues(): Promise<Figure[]> {
  const database = await freshDatabase('sqlite');
  const [dns, mails] = await Promise.all([startDnsServer(), startSlowMailServer()]);
  const root = mintAuthority();
  const down = new Set<string>();
  const peer = await startTlsServer(
    { '*': root.issue({ dnsNames: ['*.queues.test'] }) },
    {
      serve: (request, response) =>
        void response
          .writeHead(down.has((request.headers.host ?? '').replace(/:\d+$/, '')) ? 503 : 200)
          .end(),
    },
  );
  const authorityFile = join(database.dataDir, 'authority.pem');
  writeFileSync(authorityFile, root.certificatePem);
  const store = await database.open();
  const app = await startApp({
    DATA_DIR: database.dataDir,
    SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
    EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
    CHANNEL_ALLOW_CIDRS: '127.0.0.0/8',
    DNS_SERVERS: dns.address,
    EXTRA_CA_FILE: authorityFile,
  });
  try {
    const add = async (account: string, hosts: readonly string[]): Promise<string> => {
      const accountId = await addAccount(store, account);
      await grantPremium(store, accountId, { grant: { endsAt: null }, now: Date.now() });
      for (const host of hosts) {
        dns.entries.set(host, { addresses: ['127.0.0.1'] });
        await addDomain(store, { host, accountId, port: peer.port, protocol: 'https' });
      }
      return accountId;
    };
    const bob = await add('bob', ['first.queues.test', 'second.queues.test']);
    const attacked = Array.from({ length: HOSTS }, (_, index) => `h${index}.queues.test`);
    const attacker = await add('attacker', attacked);
    await until(async () => (await countUnchecked(store)) === 0);
    const fail = async (accountId: string, hosts: readonly string[]): Promise<void> => {
      for (const host of hosts) down.add(host);
      await store.db
        .updateTable('monitors')
        .set({ next_check_at: Date.now() })
        .where('account_id', '=', accountId)
        .where('host', 'in', hosts)
        .execute();
    };
    await fail(bob, ['first.queues.test']);
    const alone = await waitForAlert(store, bob, mails, 'first.queues.test');
    const rssBefore = rssOf(app);
    let beside = Number.NaN;
    const health = await healthWhile(
      app,
      (async () => {
        await Promise.all([fail(attacker, attacked), fail(bob, ['second.queues.test'])]);
        beside = await waitForAlert(store, bob, mails, 'second.queues.test');
        await until(async () => (await countReportedOutages(store, attacker)) === HOSTS);
      })(),
    );
    return [
      { what: 'from the outage to the alert, alone', value: alone, unit: 'ms' },
      { what: `from the outage to the alert, beside ${HOSTS} outages`, value: beside, unit: 'ms' },
      { what: 'how much later that is', value: beside - alone, unit: 'ms', max: MAX_LATER_MS },
      {
        what: `mails about the ${HOSTS} outages`,
        value: mails.sentTo('attacker@certs.test'),
        unit: '',
        max: MAX_MAILS,
      },
      { what: '/api/health/live, p99', value: percentile(health, 0.99), unit: 'ms', max: MAX_HEALTH_MS },
      {
        what: 'memory (RSS), growth',
        value: (rssOf(app) - rssBefore) / MB,
        unit: 'MB',
        max: MAX_RSS_GROWTH_MB,
      },
    ];
  } finally {
    await app.kill();
    await Promise.all([dns.stop(), peer.stop(), mails.stop()]);
    await database.remove();
  }
}

type MailServer = Awaited<ReturnType<typeof startSlowMailServer>>;

async function startSlowMailServer() {
  const received: { to: string; text: string; at: number }[] = [];
  const later = (proceed: () => void): void => void setTimeout(proceed, COMMAND_MS);
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    disabledCommands: ['STARTTLS'],
    onConnect: (_session, proceed) => later(proceed),
    onMailFrom: (_address, _session, proceed) => later(proceed),
    onRcptTo: (_address, _session, proceed) => later(proceed),
    onData: (stream, { envelope }, reply) => {
      void (async () => {
        const { text = '', subject = '' } = await simpleParser(stream);
        received.push({ to: envelope.rcptTo[0]?.address ?? '', text: `${subject}\n${text}`, at: Date.now() });
        later(reply);
      })();
    },
  });
  server.on('error', () => undefined);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.server.address() as AddressInfo).port,
    sentTo: (address: string) =>
      received.filter(({ to, text }) => to === address && text.includes('down')).length,
    arrivalOf: (address: string, host: string) =>
      received.find(({ to, text }) => to === address && text.includes(host) && text.includes('down'))?.at,
    stop: () => new Promise<void>((done) => server.close(done)),
  };
}

/** Returns how many ms after the outage of a host was confirmed its alert arrived. */
async function waitForAlert(
  store: Store,
  accountId: string,
  mails: MailServer,
  host: string,
): Promise<number> {
  await until(async () => mails.arrivalOf('bob@certs.test', host) !== undefined);
  const { at } = await store.db
    .selectFrom('incident_members')
    .innerJoin('monitors', 'monitors.id', 'incident_members.monitor_id')
    .select('confirmed_at as at')
    .where('incident_members.account_id', '=', accountId)
    .where('host', '=', host)
    .executeTakeFirstOrThrow();
  return (mails.arrivalOf('bob@certs.test', host) ?? Number.NaN) - (at ?? Number.NaN);
}

async function countUnchecked({ db }: Store): Promise<number> {
  const { many } = await db
    .selectFrom('monitors')
    .select((eb) => eb.fn.countAll<number>().as('many'))
    .where('last_checked_at', 'is', null)
    .executeTakeFirstOrThrow();
  return many;
}

/** Returns how many outages of an account were reported. */
async function countReportedOutages({ db }: Store, accountId: string): Promise<number> {
  const { many } = await db
    .selectFrom('deliveries')
    .innerJoin('alerts', 'alerts.id', 'deliveries.alert_id')
    .select((eb) => eb.fn.countAll<number>().as('many'))
    .where('deliveries.account_id', '=', accountId)
    .where('kind', '=', 'down')
    .where('state', '=', 'delivered')
    .executeTakeFirstOrThrow();
  return many;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const givesUpAt = Date.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (Date.now() > givesUpAt) throw new Error('The product took more than five minutes.');
    await delay(POLL_MS);
  }
}
