import { expect, it } from 'vitest';
import type { AccountMail } from '../../server/core/account-mail.ts';
import { enqueueMail } from '../../server/store/mail/mails.ts';
import { releaseHeldMail } from '../../server/store/mail/mail-quota.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { type Rig, START, startRig, until } from './rig.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../contract/durations.ts';

const ADDRESS = 'alice@certs.test';
const VERIFY_MAIL: AccountMail = { kind: 'verify_email', url: 'https://certs.test/verify#t0ken' };
const PREMIUM_ENDED_MAIL: AccountMail = { kind: 'premium_ended', paused: [], source: 'trial' };
const resetMail = (rig: Rig): AccountMail => ({
  kind: 'reset_password',
  url: 'https://certs.test/reset-password#t0ken',
  expiresAt: rig.clock.now() + 30 * MINUTE_MS,
});

async function enqueue(rig: Rig, content: AccountMail, count = 1): Promise<void> {
  await rig.store.db.transaction().execute(async (trx) => {
    for (let mail = 0; mail < count; mail++)
      await enqueueMail(trx, {
        accountId: rig.accountId,
        recipient: content.kind === 'feedback' ? 'support@certs.test' : ADDRESS,
        content,
        now: rig.clock.now(),
        ...('expiresAt' in content && { expiresAt: content.expiresAt }),
      });
  });
}

/** Watches hosts whose certificates are about to expire. Each causes one alert, and no other for three days. */
async function alarm(rig: Rig, count: number): Promise<void> {
  const validity = { notBefore: START - 80 * DAY_MS, notAfter: START + 6.5 * DAY_MS };
  for (let host = 0; host < count; host++)
    await rig.watch(`${host}.fjord.example`, rig.issue(`${host}.fjord.example`, validity));
}

async function setVerified(rig: Rig, verified: boolean): Promise<void> {
  await rig.store.db.transaction().execute(async (trx) => {
    await trx
      .updateTable('accounts')
      .set({ email_verified: Number(verified) })
      .execute();
    await releaseHeldMail(trx, rig.accountId);
  });
}

const mails = (rig: Rig) =>
  rig.store.db.selectFrom('mails').select(['state', 'attempts', 'data', 'detail']).execute();

const subjects = (rig: Rig) => rig.arrivals.map(({ subject }) => subject);

describeAnyDatabase('A mail other than an alert', (open) => {
  it('shows times in the reader’s time zone and UTC, like an alert; mail to the operator shows only UTC', async () => {
    const rig = await startRig(await open());
    await rig.store.db.updateTable('accounts').set({ time_zone: 'Europe/Oslo' }).execute();
    const from = { name: 'Alice', email: ADDRESS, premium: false };
    await enqueue(rig, { kind: 'password_changed' });
    await enqueue(rig, { kind: 'feedback', from, message: 'Hi' });
    await alarm(rig, 1);
    await rig.runDue();
    const text = (subject: string) => rig.arrivals.find((mail) => mail.subject.includes(subject))?.text;
    expect(text('password')).toMatch(/Changed: +1 March 2027, 10:30 (CET|GMT\+1) \(09:30 UTC\)/);
    expect(text('expires in')).toMatch(/Last checked: +1 March 2027, 10:30 (CET|GMT\+1) \(09:30 UTC\)/);
    expect(text('Feedback')).toMatch(/Sent: +1 March 2027, 09:30 UTC/);
  });

  it('is sent once, and its content is deleted', async () => {
    const rig = await startRig(await open());
    await enqueue(rig, VERIFY_MAIL);
    await enqueue(rig, { kind: 'password_changed' });
    expect(await rig.runDue()).toMatchObject({ mails: 2 });
    expect(subjects(rig).toSorted()).toEqual(['Confirm your address', 'Your password was changed']);
    expect(await mails(rig)).toMatchObject([
      { state: 'delivered', attempts: 1, data: null },
      { state: 'delivered', attempts: 1, data: null },
    ]);
    expect(await rig.runDue()).toMatchObject({ mails: 0 });
  });

  it('is sent by the running worker after a signal', async () => {
    const rig = await startRig(await open());
    rig.worker.start();
    await enqueue(rig, VERIFY_MAIL);
    rig.store.signals.publish({ topic: 'mails' });
    await until(() => rig.sink.ledger.length === 1);
  });

  it('a feedback mail has the sender as Reply-To', async () => {
    const rig = await startRig(await open());
    const from = { name: 'Alice', email: ADDRESS, premium: true };
    await enqueue(rig, { kind: 'feedback', from, message: 'A horizon!\nLovely.' });
    await rig.runDue();
    const [mail] = rig.sink.ledger;
    expect(mail).toMatchObject({ subject: '[Premium] Feedback from Alice', to: ['support@certs.test'] });
    expect(mail?.parsed.replyTo?.value).toEqual([{ name: '', address: ADDRESS }]);
    expect(mail?.text).toContain('A horizon!\nLovely.');
  });

  it('is retried for days while the mail server is down', async () => {
    const rig = await startRig(await open());
    await rig.sink.down();
    await enqueue(rig, PREMIUM_ENDED_MAIL);
    await rig.runUntil(START + 3 * DAY_MS);
    await rig.sink.up();
    await rig.runUntil(START + 3 * DAY_MS + 2 * HOUR_MS);
    expect(subjects(rig)).toEqual(['Your Premium trial has ended']);
  });

  it('fails after four days, with the reason', async () => {
    const rig = await startRig(await open());
    rig.sink.behave('refuse_sender');
    await enqueue(rig, PREMIUM_ENDED_MAIL);
    for (let hours = 0; hours <= 4.5 * 24; hours += 3) {
      rig.clock.set(START + hours * HOUR_MS);
      await rig.runDue();
    }
    expect(await mails(rig)).toMatchObject([
      { state: 'failed', detail: expect.stringContaining('Sender not allowed') as string },
    ]);
  });

  it('is dropped once its link has expired', async () => {
    const rig = await startRig(await open());
    await rig.sink.down();
    await enqueue(rig, resetMail(rig));
    await rig.runUntil(START + 20 * MINUTE_MS);
    expect(await mails(rig)).toMatchObject([{ state: 'waiting', data: expect.stringContaining('t0ken') }]);
    rig.clock.set(START + 30 * MINUTE_MS);
    await rig.sink.up();
    await rig.runDue();
    expect(rig.arrivals).toEqual([]);
    expect(await mails(rig)).toMatchObject([{ data: null }]);
  });

  it('arrives twice with the same Message-ID if the server’s reply was lost', async () => {
    const rig = await startRig(await open());
    rig.sink.behave('lose_reply');
    await enqueue(rig, VERIFY_MAIL);
    await rig.runDue();
    rig.sink.behave('accept');
    await rig.runUntil(START + HOUR_MS);
    expect(rig.arrivals).toHaveLength(2);
    expect(new Set(rig.arrivals.map(({ messageId }) => messageId)).size).toBe(1);
  });

  it('is released when the worker stops while sending it', async () => {
    const rig = await startRig(await open());
    rig.sink.behave('silence');
    await enqueue(rig, VERIFY_MAIL);
    rig.worker.start();
    await rig.sink.connected();
    await rig.worker.stop();
    expect(await mails(rig)).toMatchObject([{ state: 'waiting', attempts: 1 }]);
    rig.sink.behave('accept');
    await rig.runUntil(START + MINUTE_MS);
    expect(rig.arrivals).toHaveLength(1);
  });
});

describeAnyDatabase('An unverified address', (open) => {
  it('gets 15 mails a day and 5 links; the others wait for the next day', async () => {
    const rig = await startRig(await open());
    await setVerified(rig, false);
    await alarm(rig, 14);
    await enqueue(rig, PREMIUM_ENDED_MAIL, 3);
    await enqueue(rig, VERIFY_MAIL, 4);
    await rig.runDue();
    expect(rig.arrivals).toHaveLength(15 + 4);
    await enqueue(rig, resetMail(rig), 2);
    await rig.runUntil(START + DAY_MS - 1);
    expect(rig.arrivals).toHaveLength(20);
    // Only the reset link that had no room has expired.
    await rig.runUntil(START + DAY_MS);
    expect(rig.arrivals).toHaveLength(22);
    expect((await mails(rig)).filter(({ state }) => state !== 'delivered')).toMatchObject([
      { state: 'expired' },
    ]);
  });

  it('gets held mails as soon as it is verified, without a limit', async () => {
    const rig = await startRig(await open());
    await setVerified(rig, false);
    await alarm(rig, 17);
    await rig.runDue();
    expect(rig.arrivals).toHaveLength(15);
    const waiting = await rig.store.db
      .selectFrom('deliveries')
      .select(['attempts', 'detail'])
      .where('state', '=', 'waiting')
      .execute();
    const detail = expect.stringContaining('not confirmed') as string;
    expect(waiting).toEqual([
      { attempts: 0, detail },
      { attempts: 0, detail },
    ]);

    await setVerified(rig, true);
    await enqueue(rig, PREMIUM_ENDED_MAIL, 10);
    await rig.runDue();
    expect(rig.arrivals).toHaveLength(27);
    const attempts = await rig.store.db.selectFrom('delivery_attempts').select('outcome').execute();
    expect(attempts.map(({ outcome }) => outcome)).toEqual(Array(17).fill('delivered'));
  });

  it('does not use up its quota with mails that no server accepted', async () => {
    const rig = await startRig(await open());
    await setVerified(rig, false);
    rig.sink.behave('greylist');
    await enqueue(rig, PREMIUM_ENDED_MAIL, 15);
    await rig.runDue();
    rig.sink.behave('accept');
    await rig.runUntil(START + HOUR_MS);
    expect(rig.arrivals).toHaveLength(15);
  });

  it('uses up its quota with mails that may have arrived, because the reply was lost', async () => {
    const rig = await startRig(await open());
    await setVerified(rig, false);
    rig.sink.behave('lose_reply');
    await enqueue(rig, PREMIUM_ENDED_MAIL, 15);
    await rig.runDue();
    rig.sink.behave('accept');
    await rig.runUntil(START + HOUR_MS);
    expect(rig.arrivals).toHaveLength(15);
  });

  it('does not limit mails to the operator', async () => {
    const rig = await startRig(await open());
    await setVerified(rig, false);
    const from = { name: 'Alice', email: ADDRESS, premium: false };
    await enqueue(rig, { kind: 'feedback', from, message: 'Again' }, 25);
    await rig.runDue();
    expect(rig.arrivals).toHaveLength(25);
  });
});
