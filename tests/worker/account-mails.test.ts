import { expect, it } from 'vitest';
import type { AccountMail } from '../../server/core/account-mail.ts';
import { isSuppressed, liftSuppression, suppress } from '../../server/store/mail/suppressions.ts';
import { enqueueMail } from '../../server/store/mail/mails.ts';
import { releaseHeldMail } from '../../server/store/mail/mail-quota.ts';
import { addMonitors } from '../../server/store/monitors/monitor-adding.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { type Rig, startRig } from './rig.ts';

const ADDRESS = 'alice@certs.test';

function add(rig: Rig, ...hosts: string[]) {
  const endpoints = hosts.map((host) => ({ host, port: 443, protocol: 'tls' as const }));
  return addMonitors(rig.store, {
    accountId: rig.accountId,
    checkEveryMinutes: 60,
    now: rig.clock.now(),
    mayAdd: () => true,
    endpoints,
  });
}

const enqueue = (rig: Rig, content: AccountMail, recipient = ADDRESS) =>
  rig.store.db
    .transaction()
    .execute((trx) =>
      enqueueMail(trx, { accountId: rig.accountId, recipient, content, now: rig.clock.now() }),
    );

const refuse = (rig: Rig, reason: 'refused' | 'bounced') =>
  rig.store.db
    .transaction()
    .execute((trx) => suppress(trx, { address: ADDRESS, reason, detail: '550', now: rig.clock.now() }));

const states = async (rig: Rig) =>
  (await rig.store.db.selectFrom('mails').select(['kind', 'state']).execute()).map(
    ({ kind, state }) => `${kind} ${state}`,
  );

const link: AccountMail = { kind: 'verify_email', url: 'https://certs.test/verify#t0ken' };

describeAnyDatabase('The welcome mail', (open) => {
  it('is sent once when an account adds its first domains', async () => {
    const rig = await startRig(await open());
    await rig.store.db.updateTable('accounts').set({ reached_out_at: null }).execute();
    await Promise.all([
      add(rig, 'pay.fjord.example', 'shop.fjord.example', 'mail.fjord.example'),
      add(rig, 'pay.fjord.example'),
    ]);
    await add(rig, 'www.fjord.example');
    await rig.runDue();
    const reached = rig.sink.ledger.filter(({ subject }) => subject.startsWith('Alerts for '));
    expect(reached).toHaveLength(1);
    expect(reached[0]?.to).toEqual([ADDRESS]);
    expect(reached[0]?.subject).toMatch(/^Alerts for pay\.fjord\.example( and 2 more)? will arrive here$/);
  });

  it('is not sent if no domain was added', async () => {
    const rig = await startRig(await open());
    await rig.store.db.updateTable('accounts').set({ reached_out_at: null }).execute();
    await add(rig);
    expect(await states(rig)).toEqual([]);
  });
});

describeAnyDatabase('A suppressed address', (open) => {
  it('still gets mails with links and operator alarms, but no other mails', async () => {
    const rig = await startRig(await open());
    await refuse(rig, 'bounced');
    await enqueue(rig, { kind: 'password_changed' });
    await enqueue(rig, link);
    await enqueue(rig, { kind: 'operator_alarm', code: 'clock_wrong', detail: '', since: 1 });
    await rig.runDue();
    expect((await states(rig)).toSorted()).toEqual([
      'operator_alarm delivered',
      'password_changed failed',
      'verify_email delivered',
    ]);
    // Before, the server had also accepted mail for this address. The bounce came later.
    expect(await isSuppressed(rig.store.db, ADDRESS)).toBe(true);
  });

  it('is released once the server that refused it accepts a mail with a link', async () => {
    const rig = await startRig(await open());
    rig.sink.behave('refuse_recipient');
    await enqueue(rig, { kind: 'password_changed' });
    await rig.runDue();
    expect(await isSuppressed(rig.store.db, ADDRESS)).toBe(true);
    rig.sink.behave('accept');
    await enqueue(rig, link);
    await rig.runDue();
    expect(await isSuppressed(rig.store.db, ADDRESS)).toBe(false);
  });

  it('is released when it is verified or its owner asks for it', async () => {
    const rig = await startRig(await open());
    const { db } = rig.store;
    await refuse(rig, 'bounced');
    await db.transaction().execute((trx) => releaseHeldMail(trx, rig.accountId));
    expect(await isSuppressed(db, ADDRESS)).toBe(false);
    await refuse(rig, 'bounced');
    await db.transaction().execute((trx) => liftSuppression(trx, ADDRESS));
    expect(await isSuppressed(db, ADDRESS)).toBe(false);
  });

  it('is never the operator’s address, even if the mail server refuses it', async () => {
    const rig = await startRig(await open());
    rig.sink.behave('refuse_recipient');
    await enqueue(
      rig,
      { kind: 'operator_alarm', code: 'clock_wrong', detail: '', since: 1 },
      'op@certs.test',
    );
    await rig.runDue();
    expect(await isSuppressed(rig.store.db, 'op@certs.test')).toBe(false);
  });
});
