import { expect, it, onTestFinished } from 'vitest';
import { checksMade } from '../kit/product/checks-made.ts';
import { describeAnyDatabase, describeEachDatabase } from '../kit/databases/database.ts';
import { HOUR_MS, MINUTE_MS } from '../../contract/durations.ts';
import { silent, startRawPeer } from '../kit/peers/raw-peers.ts';
import { startScriptedPeer } from '../kit/peers/scripted-peer.ts';
import { goodbyeSteps } from '../probe/goodbyes.ts';
import { type Talk, TALKS } from '../probe/starttls-talks.ts';
import { type Rig, type RigOptions, START, startRig, until } from './rig.ts';
import { retryDelivery } from '../../server/store/alerts/deliveries.ts';
import { sendTest } from '../../server/store/alerts/channel-sending.ts';
import { ACCOUNT_MAIL } from '../../server/core/alerting/settings.ts';
import { raisedAlarms } from '../../server/store/alerts/alarms.ts';
import type { Monitor } from '../../server/store/monitors/monitor-row.ts';
import { promise } from '../security/promise.ts';

const CAPS = { dns: 5_000, handshake: 5_000 };
const isSlow = (host: string): boolean => /^(?:mute|lost)/.test(host);

describeAnyDatabase('The running worker', (open) => {
  it('ends probes of silent servers and name servers, and checks other hosts meanwhile', async () => {
    // Slow probes hold their slots until all other hosts have been checked, however busy the machine is.
    const { promise: othersAreDone, resolve: release } = Promise.withResolvers<void>();
    const rig = await startRig(await open(), {
      concurrency: 16,
      caps: CAPS,
      wrapProbe: (probe) => ({
        async observe(endpoint, asked) {
          const seen = await probe.observe(endpoint, asked);
          if (isSlow(endpoint.host)) await othersAreDone;
          return seen;
        },
      }),
    });
    onTestFinished(() => release());
    const mute = await startRawPeer(silent);
    onTestFinished(() => mute.stop());
    const slow: Monitor[] = [];
    for (let index = 0; index < 6; index++) {
      rig.dns.entries.set(`mute${index}.example`, { addresses: ['127.0.0.1'] });
      rig.dns.entries.set(`lost${index}.example`, { answer: 'silent' });
      slow.push(await rig.add(`mute${index}.example`, mute.port), await rig.add(`lost${index}.example`, 443));
    }
    const healthy: Monitor[] = [];
    for (let index = 0; index < 50; index++) healthy.push(await rig.watch(`site${index}.example`));
    // Slow hosts were added first and are claimed first: twelve of sixteen slots hang.
    rig.worker.start();
    await until(async () => (await countChecked(rig, healthy)) === healthy.length);
    expect(await countChecked(rig, slow)).toBe(0);
    release();
    await until(async () => (await countChecked(rig, slow)) === slow.length);
    for (const monitor of slow) {
      const { verdict } = await rig.read(monitor);
      expect(verdict?.failure).toMatchObject(
        monitor.host.startsWith('mute')
          ? { stage: 'handshake', reason: 'timeout' }
          : { stage: 'dns', reason: 'dns_timeout' },
      );
    }
  });

  it('checks a monitor that is added while it runs, and sends the alert mail', async () => {
    const rig = await startRig(await open());
    rig.worker.start();
    await rig.watch('first.fjord.example');
    await until(async () => (await checksMade(rig.store)).length === 1);
    const host = 'pay.fjord.example';
    const now = rig.clock.now();
    await rig.watch(
      host,
      rig.issue(host, { notBefore: now - 80 * 86_400_000, notAfter: now + 2.5 * 86_400_000 }),
    );
    const mail = await rig.sink.waitFor(() => true);
    expect(mail.parsed.subject).toContain('expires in 2 days');
  });

  it('keeps checking while the mail server hangs', async () => {
    const rig = await startRig(await open());
    rig.sink.behave('silence');
    const host = 'pay.fjord.example';
    const now = rig.clock.now();
    for (let index = 0; index < 6; index++)
      await rig.watch(
        `${index}.${host}`,
        rig.issue(`${index}.${host}`, { notBefore: now - 80 * 86_400_000, notAfter: now + 2.5 * 86_400_000 }),
      );
    rig.worker.start();
    await rig.sink.connected();
    const healthy: Monitor[] = [];
    for (let index = 0; index < 20; index++) healthy.push(await rig.watch(`site${index}.example`));
    await until(async () => (await countChecked(rig, healthy)) === healthy.length);
    expect(rig.sink.ledger).toEqual([]);
  });
});

describeEachDatabase('A worker whose checks wait for greetings', (open) => {
  it('checks other hosts at once although it has fewer slots than mail servers delay their greetings', async () => {
    const { rig, mail, greet } = await rigWithSlowMail(await open());
    const others: Monitor[] = [];
    for (let index = 0; index < 6; index++) others.push(await rig.watch(`site${index}.example`));
    rig.worker.start();
    await until(async () => (await countChecked(rig, others)) === others.length);
    expect(await countChecked(rig, mail)).toBe(0);
    greet();
    await until(async () => (await countChecked(rig, mail)) === mail.length);
    for (const monitor of mail) expect(await rig.read(monitor)).toMatchObject({ uptime: 'up' });
  });

  it('renews the lease of a check that waits for a greeting', async () => {
    const { rig, mail } = await rigWithSlowMail(await open(), { leaseMs: 600 });
    rig.worker.start();
    const leases = async () => {
      const rows = await rig.store.db.selectFrom('monitors').select('lease_expires_at').execute();
      return rows.map(({ lease_expires_at: at }) => at ?? 0);
    };
    await until(async () => (await leases()).every((at) => at > 0));
    const before = Math.max(...(await leases()));
    rig.clock.advance(500);
    await until(async () => (await leases()).every((at) => at > before));
    expect((await rig.read(mail[0] as Monitor)).checking).toBe(true);
  });

  it('releases checks that wait for a greeting at once when it stops', async () => {
    const { rig, mail } = await rigWithSlowMail(await open());
    const other = await rig.watch('site.example');
    rig.worker.start();
    await until(async () => (await countChecked(rig, [other])) === 1);
    await rig.worker.stop(0, MINUTE_MS);
    for (const monitor of mail)
      expect(await rig.read(monitor)).toMatchObject({ checking: false, nextCheckAt: START, verdict: null });
  });
});

describeEachDatabase('A worker whose mail server delays its reply to a mail', (open) => {
  const deliveries = ({ store }: Rig) =>
    store.db.selectFrom('deliveries').selectAll().orderBy('created_at').execute();

  async function rigWithSlowMailServer(options: RigOptions = {}): Promise<Rig> {
    const rig = await startRig(await open(), { ...options, mailTimeouts: { slow: 1 } });
    rig.sink.behave('hold_reply');
    return rig;
  }

  async function queueMails({ store, clock }: Rig, accountId: string, count = 1): Promise<void> {
    for (let mail = 0; mail < count; mail++)
      await sendTest(store, { accountId, channelKey: ACCOUNT_MAIL, now: clock.now() });
  }

  it('sends a mail of another account at once, although the first has more mails than there are slots', async () => {
    const rig = await rigWithSlowMailServer();
    rig.sink.behave((to) => (to.startsWith('alice') ? 'hold_reply' : 'accept'));
    const bob = await rig.arrive('Bob');
    await queueMails(rig, rig.accountId, 16);
    rig.worker.start();
    await until(() => rig.sink.ledger.length >= 8);
    await queueMails(rig, bob);
    await rig.sink.waitFor(({ to }) => to.includes('bob@certs.test'));
    // A claim sees fewer than eight mails of Alice in progress, and takes four at most.
    expect(rig.sink.ledger.length - 1).toBeLessThan(12);

    rig.sink.behave('accept');
    rig.sink.sendReplies();
    await until(async () => (await deliveries(rig)).every(({ state }) => state === 'delivered'));
    expect((await deliveries(rig)).map(({ attempts }) => attempts)).toEqual(Array(17).fill(1));
    expect(rig.sink.ledger).toHaveLength(17);
    promise('slow-mail');
    promise('8.4.1');
  });

  it('renews the lease until the reply, so that the mail is sent once', async () => {
    const leaseMs = 600;
    const rig = await rigWithSlowMailServer({ leaseMs });
    await queueMails(rig, rig.accountId);
    rig.worker.start();
    await rig.sink.waitFor(() => true);
    const lease = async () => (await deliveries(rig))[0]?.lease_expires_at ?? 0;
    const first = await lease();
    await until(async () => {
      rig.clock.advance(5);
      return (await lease()) > first + leaseMs;
    });
    rig.sink.sendReplies();
    await until(async () => (await deliveries(rig))[0]?.state === 'delivered');
    expect(await deliveries(rig)).toMatchObject([{ attempts: 1 }]);
    expect(rig.sink.ledger).toHaveLength(1);
  });

  it('learns that the mail was accepted, although another worker has leased it meanwhile', async () => {
    const rig = await rigWithSlowMailServer();
    await queueMails(rig, rig.accountId);
    rig.worker.start();
    await rig.sink.waitFor(() => true);
    // Acts as if the database had not been reachable for longer than the lease.
    const lease = { lease_token: 'of another worker', lease_expires_at: START + HOUR_MS };
    await rig.store.db.updateTable('deliveries').set(lease).execute();
    rig.sink.sendReplies();
    await until(async () => (await deliveries(rig))[0]?.state === 'delivered');
    const retry = { leaseToken: lease.lease_token, nextAttemptAt: START, detail: null, now: START };
    expect(await retryDelivery(rig.store, retry)).toBe(false);
    expect(await deliveries(rig)).toMatchObject([{ state: 'delivered', lease_token: null }]);
  });

  it('sends the mail again ten minutes after a stop that ended the wait, with the same Message-ID', async () => {
    const rig = await rigWithSlowMailServer();
    await queueMails(rig, rig.accountId);
    rig.worker.start();
    await rig.sink.waitFor(() => true);
    await rig.worker.stop(0, MINUTE_MS);
    const next_attempt_at = START + 10 * MINUTE_MS;
    expect(await deliveries(rig)).toMatchObject([{ state: 'waiting', lease_token: null, next_attempt_at }]);
    expect(await raisedAlarms(rig.store)).toEqual([]);

    rig.sink.behave('accept');
    await rig.runUntil(next_attempt_at);
    expect(await deliveries(rig)).toMatchObject([{ state: 'delivered' }]);
    expect(rig.sink.ledger).toHaveLength(2);
    expect(new Set(rig.sink.ledger.map(({ messageId }) => messageId)).size).toBe(1);
    promise('lost-alerts');
  });
});

/** Returns how many of these monitors were checked. Uses one query, because tests poll it every few milliseconds. */
async function countChecked({ store }: Rig, monitors: readonly Monitor[]): Promise<number> {
  const ids = monitors.map(({ id }) => id);
  const { count } = await store.db
    .selectFrom('monitors')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('id', 'in', ids)
    .where('last_checked_at', 'is not', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Starts a rig with two slots and five mail servers that greet when told. Their checks are due first. */
async function rigWithSlowMail(store: Rig['store'], options: RigOptions = {}) {
  const rig = await startRig(store, { concurrency: 2, caps: { slow: 1 }, ...options });
  const { promise: greeted, resolve: greet } = Promise.withResolvers<void>();
  const talk = TALKS.find(({ server }) => server === 'Postfix') as Talk;
  const peer = await startScriptedPeer(talk.steps, {
    certificate: rig.issue('mail.example'),
    insideTls: goodbyeSteps(talk, 'upgraded'),
    delay: () => greeted,
  });
  onTestFinished(() => peer.stop());
  const mail: Monitor[] = [];
  for (let index = 0; index < 5; index++) {
    rig.dns.entries.set(`mail${index}.example`, { addresses: ['127.0.0.1'] });
    mail.push(await rig.add(`mail${index}.example`, peer.port, { protocol: 'smtp' }));
  }
  return { rig, mail, greet };
}
