import { afterEach, beforeEach, expect, it } from 'vitest';
import { bounceAddress } from '../../server/channels/email/bounce-address.ts';
import { mailIsFailing } from '../../server/store/accounts/account-health.ts';
import { isSuppressed } from '../../server/store/mail/suppressions.ts';
import { createBounceReader } from '../../server/worker/bounce-reader.ts';
import { outOfOffice, postfixReport } from '../channels/delivery-reports.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { type ImapServer, startImapServer } from '../kit/peers/imap-server.ts';
import { type Rig, START, startRig } from './rig.ts';
import { DAY_MS } from '../../contract/durations.ts';

const ADDRESS = 'alice@certs.test';
const RETURN = { address: 'bounces@certlantern.test', key: Buffer.alloc(32, 3) };

let imap: ImapServer;
beforeEach(async () => {
  imap = await startImapServer();
});
afterEach(() => imap.stop());

/** Sends an alert that the mail server accepts, and returns its bounce address. */
async function deliverAlert(rig: Rig): Promise<string> {
  const validity = { notBefore: START - 80 * DAY_MS, notAfter: START + 6.5 * DAY_MS };
  await rig.watch('pay.fjord.example', rig.issue('pay.fjord.example', validity));
  await rig.runDue();
  const messageId = rig.arrivals.at(-1)?.messageId.replaceAll(/[<>]/g, '') ?? '';
  const address = bounceAddress(RETURN, { messageId, recipient: ADDRESS });
  if (address === null) throw new Error(`${messageId} has no return address`);
  return address;
}

const alarmed: string[] = [];
function readerOf(rig: Rig, mailbox = imap.url) {
  alarmed.length = 0;
  return createBounceReader({
    store: rig.store,
    clock: rig.clock,
    bounces: { ...RETURN, mailbox },
    alarms: {
      raise: (code, detail) => Promise.resolve(void alarmed.push(`${code}: ${detail}`)),
      clear: () => Promise.resolve(),
      isRaised: () => false,
      mayBeRaised: () => true,
    },
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
  });
}

const deliveries = (rig: Rig) => rig.store.db.selectFrom('deliveries').select(['state', 'detail']).execute();
const standing = (rig: Rig) =>
  mailIsFailing(rig.store, { id: rig.accountId, email: ADDRESS }, rig.clock.now());

describeAnyDatabase('A bounce report', (open) => {
  it('marks the delivery as failed with the reason and suppresses the address', async () => {
    const rig = await startRig(await open());
    imap.append(postfixReport({ to: await deliverAlert(rig), recipient: ADDRESS }));
    expect(await readerOf(rig).read()).toBe(1);
    const [delivery] = await deliveries(rig);
    expect(delivery?.state).toBe('failed');
    expect(delivery?.detail).toMatch(/^The mail bounced: 5\.1\.1 550 5\.1\.1 .*User unknown$/);
    expect(await isSuppressed(rig.store.db, 'Alice@certs.test')).toBe(true);
    expect(await standing(rig)).toBe(true);
    expect(imap.mails()).toEqual([]);
  });

  it('stays in the mailbox until the database has recorded it', async () => {
    const rig = await startRig(await open());
    imap.append(postfixReport({ to: await deliverAlert(rig), recipient: ADDRESS }));
    // The records of the first attempt, during which the connection broke, are written again with the same result.
    imap.breakAt('UID STORE');
    const reader = readerOf(rig);
    expect(await reader.read()).toBe(0);
    expect(alarmed[0]).toMatch(/^bounce_mailbox: /);
    expect(imap.mails()).toEqual([{ uid: 1, flags: [] }]);
    expect(await reader.read()).toBe(1);
    expect(await isSuppressed(rig.store.db, ADDRESS)).toBe(true);
  });

  it('about the sender does not suppress the recipient’s address', async () => {
    const rig = await startRig(await open());
    imap.append(postfixReport({ to: await deliverAlert(rig), status: '5.7.1' }));
    expect(await readerOf(rig).read()).toBe(1);
    expect(await isSuppressed(rig.store.db, ADDRESS)).toBe(false);
    expect((await deliveries(rig))[0]?.state).toBe('failed');
  });

  it('is ignored if it is an auto-reply, a delay, forged, or about an address that the account no longer has', async () => {
    const rig = await startRig(await open());
    const address = await deliverAlert(rig);
    const forged = bounceAddress(
      { ...RETURN, key: Buffer.alloc(32, 4) },
      { messageId: rig.arrivals.at(-1)?.messageId.slice(1) ?? '', recipient: ADDRESS },
    );
    imap.append(outOfOffice(address));
    imap.append(postfixReport({ to: address, action: 'delayed', status: '4.4.1' }));
    imap.append(postfixReport({ to: forged ?? '' }));
    imap.append(postfixReport({ to: 'bounces@certlantern.test' }));
    expect(await readerOf(rig).read()).toBe(0);
    await rig.store.db.updateTable('accounts').set({ email: 'new@certs.test' }).execute();
    imap.append(postfixReport({ to: address }));
    expect(await readerOf(rig).read()).toBe(0);
    expect(imap.mails().map(({ flags }) => flags)).toEqual(Array.from({ length: 5 }, () => ['\\Seen']));
    expect(await isSuppressed(rig.store.db, ADDRESS)).toBe(false);
    expect((await deliveries(rig))[0]?.state).toBe('delivered');
  });

  it('that cannot be read because of a wrong password raises an alarm without the password', async () => {
    const rig = await startRig(await open());
    await readerOf(rig, imap.url.replace('p4ss', 'other')).read();
    expect(alarmed).toEqual([expect.stringContaining('Wrong password')]);
    expect(alarmed[0]).not.toMatch(/other|p4ss/);
  });
});
