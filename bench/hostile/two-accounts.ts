import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CALLS } from '../../contract/calls/calls.ts';
import { DAY_MS } from '../../contract/durations.ts';
import { openStore } from '../../server/store/db/open-store.ts';
import { mintAuthority } from '../../tests/kit/certificates/mint.ts';
import { startDnsServer } from '../../tests/kit/peers/dns-server.ts';
import { startSmtpSink } from '../../tests/kit/peers/smtp-sink.ts';
import { startTlsServer } from '../../tests/kit/peers/tls-server.ts';
import { startApp, temporaryFolder } from '../../tests/kit/product/app.ts';
import { markVerified, sendTo, signUp } from '../../tests/kit/product/people.ts';
import { type Figure, measureRounds, percentile } from '../scale/figures.ts';
import { healthWhile, rssOf } from './routes.ts';

/** Maximum delay, in ms, that an attacker may add to another account's alert. */
const MAX_LATER_MS = 2_000;
const MAX_HEALTH_MS = 100;
const MAX_RSS_GROWTH_MB = 64;
const MB = 1_000_000;
const ALERTS_ALONE = 5;
/** Time between two alerts, in ms. An account may add only 60 domains a minute. */
const ALERT_EVERY_MS = 1_000;
const ALERT_TIMEOUT_MS = 120_000;
const RSS_EVERY_MS = 100;

/**
 * Starts the product with an attacker's account and another account, whose alerts are measured. Every name below `site.test`
 * has a host with a valid certificate. `close` stops everything.
 */
export async function startTwoAccounts() {
  const folder = temporaryFolder();
  const root = mintAuthority();
  const authorityFile = join(folder.path, 'authority.pem');
  writeFileSync(authorityFile, root.certificatePem);
  const site = root.issue({ dnsNames: ['*.site.test'], notBefore: Date.now() - 2 * DAY_MS });
  const [dns, mails, hosts] = await Promise.all([
    startDnsServer(),
    startSmtpSink(),
    startTlsServer({ '*': site }),
  ]);
  const app = await startApp({
    DATA_DIR: folder.path,
    BILLING: 'none',
    SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
    EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
    CHANNEL_ALLOW_CIDRS: '127.0.0.0/8',
    DNS_SERVERS: dns.address,
    EXTRA_CA_FILE: authorityFile,
  });
  const store = await openStore({ databaseUrl: null, dataDir: folder.path });
  const attacker = await signUp(sendTo(app.url), { name: 'Attacker' });
  const other = await signUp(sendTo(app.url), { name: 'Other' });
  for (const { id } of [attacker, other]) await markVerified(store, id);

  let alerts = 0;
  /** Adds a domain whose certificate ends in five days to the other account, and waits for the alert. */
  const alert = async (): Promise<void> => {
    const host = `a${alerts++}.other.test`;
    dns.entries.set(host, { addresses: ['127.0.0.1'] });
    const now = Date.now();
    const validity = { notBefore: now - 85 * DAY_MS, notAfter: now + 5.5 * DAY_MS };
    hosts.setCertificate(host, root.issue({ dnsNames: [host], ...validity }));
    const added = await other.ask(CALLS.addDomain, { body: { host: `tls://${host}:${hosts.port}` } });
    if (added.status !== 200) throw new Error(added.problem.detail);
    await mails.waitFor(
      ({ to, subject, text }) =>
        to.includes(other.email) && text.includes(host) && /expire/i.test(`${subject} ${text}`),
      ALERT_TIMEOUT_MS,
    );
  };
  // The first domain of an account also causes the welcome email.
  await alert();
  let alone = Number.NaN;
  const measureAlone = async (): Promise<void> => {
    alone = percentile(await measureRounds(ALERTS_ALONE, alert), 0.5);
  };
  const calm = await healthWhile(app, measureAlone(), '/api/health');

  return {
    app,
    attacker,
    store,
    hosts,
    addresses: dns.entries,
    /** Runs `work`, which is the attack. Measures alerts of the other account, `/api/health` and the memory meanwhile. */
    async beside(what: string, work: () => Promise<unknown>): Promise<Figure[]> {
      const before = rssOf(app);
      let most = before;
      const sampling = setInterval(() => (most = Math.max(most, rssOf(app))), RSS_EVERY_MS);
      const attack = { isOver: false };
      const took: number[] = [];
      const alertsMeanwhile = async (): Promise<void> => {
        do {
          took.push(...(await measureRounds(1, alert)));
          await delay(ALERT_EVERY_MS);
        } while (!attack.isOver);
      };
      const working = work().finally(() => (attack.isOver = true));
      const health = await healthWhile(app, Promise.all([working, alertsMeanwhile()]), '/api/health');
      clearInterval(sampling);
      return [
        {
          what: `${what}: an alert of another account alone, median of ${ALERTS_ALONE}`,
          value: alone,
          unit: 'ms',
        },
        {
          what: `${what}: how much later the latest of ${took.length} alerts came`,
          value: Math.max(...took) - alone,
          unit: 'ms',
          max: MAX_LATER_MS,
        },
        { what: `${what}: /api/health alone, p99`, value: percentile(calm, 0.99), unit: 'ms' },
        {
          what: `${what}: /api/health, p99 of ${health.length}`,
          value: percentile(health, 0.99),
          unit: 'ms',
          max: MAX_HEALTH_MS,
        },
        {
          what: `${what}: memory (RSS), largest growth`,
          value: (most - before) / MB,
          unit: 'MB',
          max: MAX_RSS_GROWTH_MB,
        },
      ];
    },
    async close() {
      await store.close();
      await app.kill();
      await Promise.all([dns.stop(), hosts.stop(), mails.stop()]);
      folder.remove();
    },
  };
}
