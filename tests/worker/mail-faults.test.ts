import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { raiseAlarm, raisedAlarms } from '../../server/store/alerts/alarms.ts';
import { describeAnyDatabase, freshStore } from '../kit/databases/database.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { startSmtpSink } from '../kit/peers/smtp-sink.ts';
import { startStrippingProxy } from '../kit/peers/stripping-proxy.ts';
import { type Rig, START, startRig } from './rig.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../contract/durations.ts';

const HOST = 'pay.fjord.example';

/** Watches a certificate that expires in `days`, checks it and tries to send the alert mail. */
async function sendExpiryAlert(rig: Rig, days: number): Promise<void> {
  const validity = { notBefore: START - 197 * DAY_MS, notAfter: START + days * DAY_MS };
  await rig.watch(HOST, rig.issue(HOST, validity));
  await rig.runDue();
}

const deliveries = (rig: Rig) =>
  rig.store.db.selectFrom('deliveries').select(['state', 'attempts', 'detail']).execute();

describeAnyDatabase('An alert by mail', (open) => {
  it('is retried while the mail server is down, and arrives once', async () => {
    const rig = await startRig(await open());
    await rig.sink.down();
    await sendExpiryAlert(rig, 6.5);
    await rig.runUntil(START + 3 * HOUR_MS);
    expect(rig.arrivals).toEqual([]);
    const [waiting] = await deliveries(rig);
    expect(waiting).toMatchObject({ state: 'waiting' });
    expect(Number(waiting?.attempts)).toBeGreaterThan(5);
    expect(waiting?.detail).toContain('ECONNREFUSED');

    await rig.sink.up();
    await rig.runUntil(START + DAY_MS);
    expect(rig.arrivals.map(({ subject }) => subject)).toEqual([`${HOST} expires in 6 days`]);
    expect(await deliveries(rig)).toEqual([expect.objectContaining({ state: 'delivered' })]);
  });

  it('is held with an operator alarm while STARTTLS is stripped, and arrives once encryption works again', async () => {
    const authority = mintAuthority();
    const before = getCACertificates('default');
    setDefaultCACertificates([...before, authority.certificatePem]);
    onTestFinished(() => setDefaultCACertificates(before));
    // The system routes this address to this machine, but the product demands encryption for it: only loopback is exempt.
    const host = '0.0.0.0';
    const sink = await startSmtpSink({
      certificate: authority.issue({ commonName: host, ipAddresses: [host] }),
    });
    const proxy = await startStrippingProxy(sink);
    onTestFinished(() => proxy.stop());
    const smtpUrl = `smtp://alerts:hunter2@${host}:${proxy.port}`;
    const rig = await startRig(await open(), { mail: { sink, smtpUrl } });
    await sendExpiryAlert(rig, 6.5);
    await rig.runUntil(START + HOUR_MS);
    expect(proxy.received()).not.toMatch(/AUTH|MAIL/);
    expect(sink.ledger).toEqual([]);
    expect(await raisedAlarms(rig.store)).toEqual([
      {
        code: 'smtp_unencrypted',
        detail: expect.stringContaining('could not be encrypted, so neither the password nor') as string,
        since: START,
      },
    ]);
    expect(await deliveries(rig)).toEqual([expect.objectContaining({ state: 'waiting' })]);

    proxy.stopStripping();
    await rig.runUntil(START + 3 * HOUR_MS);
    expect(rig.arrivals.map(({ subject }) => subject)).toEqual([`${HOST} expires in 6 days`]);
    expect(sink.ledger).toEqual([expect.objectContaining({ tls: true })]);
    expect(await raisedAlarms(rig.store)).toEqual([]);
  });

  it('clears mail alarms of an earlier process once it is delivered', async () => {
    const rig = await startRig(await open());
    for (const code of ['smtp_refuses_us', 'smtp_unencrypted'] as const)
      await raiseAlarm(rig.store, { code, detail: 'From before the restart.', now: START });
    await sendExpiryAlert(rig, 6.5);
    expect(rig.arrivals).toHaveLength(1);
    expect(await raisedAlarms(rig.store)).toEqual([]);
  });

  it('does not clear mail alarms if the server refuses its recipient', async () => {
    const rig = await startRig(await open());
    await raiseAlarm(rig.store, { code: 'smtp_refuses_us', detail: 'From before the restart.', now: START });
    rig.sink.behave('refuse_recipient');
    await sendExpiryAlert(rig, 6.5);
    expect(await deliveries(rig)).toEqual([expect.objectContaining({ state: 'failed' })]);
    expect(await raisedAlarms(rig.store)).toMatchObject([{ code: 'smtp_refuses_us' }]);
  });

  it('describes the state at the moment when it is sent, not when it was queued', async () => {
    const rig = await startRig(await open());
    await rig.sink.down();
    await sendExpiryAlert(rig, 2.75);
    await rig.runUntil(START + DAY_MS);
    await rig.sink.up();
    await rig.runUntil(START + DAY_MS + 2 * HOUR_MS);
    expect(rig.arrivals.map(({ subject }) => subject)).toEqual([`${HOST} expires in 42 hours`]);
  });

  it('waits for a due check if the certificate has expired meanwhile, but at most ten minutes', async () => {
    const rig = await startRig(await open());
    const end = START + HOUR_MS;
    const check = (at: number) => rig.store.db.updateTable('monitors').set({ next_check_at: at }).execute();
    await rig.sink.down();
    await sendExpiryAlert(rig, 1 / 24);
    await rig.sink.up();
    await check(end + 1_000);
    rig.clock.set(end + 500);
    await rig.runDue();
    expect(rig.arrivals).toEqual([]);
    await rig.runUntil(end + HOUR_MS);
    expect(rig.arrivals.map(({ subject }) => subject)).toEqual([
      expect.stringContaining(`${HOST} expired on`),
    ]);

    // If no check has ended after ten minutes, the mail is sent anyway.
    const other = 'late.fjord.example';
    const validity = { notBefore: START - 197 * DAY_MS, notAfter: end + 2 * HOUR_MS };
    await rig.sink.down();
    await rig.watch(other, rig.issue(other, validity));
    await rig.runDue();
    await rig.sink.up();
    await check(end + 9 * DAY_MS);
    rig.clock.set(end + 2 * HOUR_MS + 1_000);
    await rig.runDue();
    expect(rig.arrivals).toHaveLength(1);
    await rig.runUntil(end + 2 * HOUR_MS + 10 * MINUTE_MS);
    expect(rig.arrivals.slice(1).map(({ subject }) => subject)).toEqual([
      expect.stringContaining(`${other} expired on`),
    ]);
  });

  it('is delivered after greylisting', async () => {
    const rig = await startRig(await open());
    rig.sink.behave('greylist');
    await sendExpiryAlert(rig, 6.5);
    expect(rig.arrivals).toEqual([]);
    rig.sink.behave('accept');
    await rig.runUntil(START + MINUTE_MS);
    expect(rig.arrivals).toHaveLength(1);
    expect(await deliveries(rig)).toEqual([
      { state: 'delivered', attempts: 2, detail: expect.any(String) as string },
    ]);
  });

  it('fails at once and is logged if the server refuses the recipient', async () => {
    const rig = await startRig(await open());
    rig.sink.behave('refuse_recipient');
    await sendExpiryAlert(rig, 6.5);
    rig.sink.behave('accept');
    await rig.runUntil(START + 2 * HOUR_MS);
    expect(rig.arrivals).toEqual([]);
    expect(await deliveries(rig)).toEqual([
      { state: 'failed', attempts: 1, detail: expect.stringContaining('No such user here') as string },
    ]);
    expect(rig.log.warn).toHaveBeenCalledTimes(1);
  });

  it('arrives twice with the same Message-ID, ten minutes apart, and raises an alarm if the server’s reply was lost', async () => {
    const rig = await startRig(await open());
    rig.sink.behave('lose_reply');
    await sendExpiryAlert(rig, 6.5);
    const detail = expect.stringContaining('did not say whether it accepts the mail') as string;
    expect(await raisedAlarms(rig.store)).toEqual([{ code: 'smtp_no_reply', detail, since: START }]);
    rig.sink.behave('accept');
    await rig.runUntil(START + HOUR_MS);
    expect(rig.arrivals.map(({ at }) => at)).toEqual([START, START + 10 * MINUTE_MS]);
    expect(new Set(rig.arrivals.map(({ messageId }) => messageId)).size).toBe(1);
    expect(await raisedAlarms(rig.store)).toEqual([]);
  });

  it('fails after four days of temporary refusals', async () => {
    const rig = await startRig(await open());
    rig.sink.behave('refuse_sender');
    // No alert step is reached during these four days.
    await sendExpiryAlert(rig, 13.9);
    for (let hours = 0; hours <= 4.5 * 24; hours += 3) {
      rig.clock.set(START + hours * HOUR_MS);
      await rig.runDue();
    }
    expect(await deliveries(rig)).toEqual([expect.objectContaining({ state: 'failed' })]);
    expect(rig.arrivals).toEqual([]);
  });

  it('is superseded by the alert of the next step', async () => {
    const rig = await startRig(await open());
    await rig.sink.down();
    await sendExpiryAlert(rig, 3.5);
    await rig.runUntil(START + DAY_MS);
    await rig.sink.up();
    await rig.runUntil(START + DAY_MS + 2 * HOUR_MS);
    expect(rig.arrivals.map(({ subject }) => subject)).toEqual([`${HOST} expires in 2 days`]);
    expect((await deliveries(rig)).map(({ state }) => state).toSorted()).toEqual(['delivered', 'superseded']);
  });

  it('is superseded by a renewal', async () => {
    const rig = await startRig(await open());
    await rig.sink.down();
    await sendExpiryAlert(rig, 6.5);
    rig.serve(HOST, rig.issue(HOST));
    await rig.runUntil(START + 1.5 * DAY_MS);
    await rig.sink.up();
    await rig.runUntil(START + 3 * DAY_MS);
    expect(rig.arrivals).toEqual([]);
    expect((await deliveries(rig)).map(({ state }) => state)).toEqual(['superseded']);
  });

  it('is sent again if the renewal was reverted', async () => {
    const rig = await startRig(await open());
    const old = rig.issue(HOST, { notBefore: START - 80 * DAY_MS, notAfter: START + 13 * DAY_MS });
    await rig.sink.down();
    await rig.watch(HOST, old);
    await rig.runDue();
    rig.serve(HOST, rig.issue(HOST));
    await rig.runUntil(START + 1.5 * DAY_MS);
    await rig.sink.up();
    rig.serve(HOST, old);
    await rig.runUntil(START + 3 * DAY_MS);
    expect(rig.arrivals.map(({ subject }) => subject)).toEqual([`${HOST} expires in 11 days`]);
  });
});

it('A mail is settled before its alarms are cleared, because a kill in between would send it again', async () => {
  const rig = await startRig(await freshStore('sqlite'));
  for (const code of ['smtp_refuses_us', 'smtp_unencrypted'] as const)
    await raiseAlarm(rig.store, { code, detail: 'From before the restart.', now: START });
  await sql`create table seen (state text)`.execute(rig.store.db);
  await sql`create trigger cleared before delete on alarms begin
    insert into seen select state from deliveries; end`.execute(rig.store.db);
  await sendExpiryAlert(rig, 6.5);
  const { rows } = await sql`select state from seen`.execute(rig.store.db);
  expect(rows).toEqual([{ state: 'delivered' }, { state: 'delivered' }]);
});
