import { expect, it } from 'vitest';
import type { AccountMail } from '../../server/core/account-mail.ts';
import { disableAccount, enableAccount } from '../../server/store/accounts/account-administration.ts';
import {
  claimDueMails,
  type ClaimedMail,
  correctMailTimes,
  deferMail,
  enqueueMail,
  type NewMail,
  retryMail,
  settleMail,
} from '../../server/store/mail/mails.ts';
import {
  consumeMailQuota,
  HELD_BY_QUOTA,
  refundMailQuota,
  releaseHeldMail,
} from '../../server/store/mail/mail-quota.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { MAX_UNANSWERED_CLAIMS, releaseLeases } from '../../server/store/mail/outbox.ts';
import { deleteExpired } from '../../server/store/operations/sweep.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { DAY, MINUTE, NOW, person } from './samples.ts';
import { promise } from '../security/promise.ts';

const LEASE = 60_000;
const claim = { now: NOW, limit: 10, leaseMs: LEASE, claimedBy: 'a worker' };
const reset: AccountMail = {
  kind: 'reset_password',
  url: 'https://certs.example/reset-password#secret',
  expiresAt: NOW + 30 * MINUTE,
};
const feedback: AccountMail = {
  kind: 'feedback',
  from: { name: 'Alice', email: 'alice@example.com', premium: false },
  message: 'Hello',
};

describeEachDatabase('mails', (open) => {
  it('are sent in turns between accounts, and digests after all others', async () => {
    const store = await open();
    const { id: alice } = await person(store, 'alice');
    const { id: bob } = await person(store, 'bob');
    // Deletes the welcome mails of the new accounts.
    await store.db.deleteFrom('mails').execute();
    const none = { first: [], more: 0 };
    const digest: AccountMail = {
      kind: 'digest',
      from: NOW - DAY,
      until: NOW,
      watched: 1,
      uptime: [],
      attention: none,
      expiring: none,
      failing: none,
      renewed: none,
      incidents: none,
    };
    for (const accountId of [alice, bob]) await enqueue(store, { accountId, content: digest });
    const to = (recipient: string) => ({ recipient, now: NOW + MINUTE });
    for (let sent = 0; sent < 6; sent++) await enqueue(store, { accountId: alice, ...to(`alice ${sent}`) });
    await enqueue(store, { accountId: bob, ...to('bob') });
    const order: string[] = [];
    for (let sent = 0; sent < 9; sent++) {
      const { content, recipient, leaseToken } = await claimOne(store, NOW + 2 * MINUTE);
      order.push(content.kind === 'digest' ? content.kind : recipient);
      const late = { outcome: 'delivered', detail: null, now: NOW + 2 * MINUTE } as const;
      await settleMail(store, { leaseToken, ...late });
    }
    expect(order.indexOf('bob')).toBeLessThan(4);
    expect(order.slice(-2)).toEqual(['digest', 'digest']);
    promise('queues');
  });

  it('are claimed with everything that a message needs', async () => {
    const store = await open();
    await enqueue(store, { content: reset, expiresAt: NOW + 30 * MINUTE });
    expect(await claimDueMails(store, claim)).toEqual([
      {
        id: expect.any(String),
        leaseToken: expect.any(String),
        accountId: null,
        attempt: 1,
        recipient: 'nobody@example.com',
        isProven: false,
        timeZone: null,
        content: reset,
        messageId: expect.stringMatching(/^<[0-9a-f-]{36}@certlantern>$/),
        firstAttemptAt: NOW,
        createdAt: NOW,
        expiresAt: NOW + 30 * MINUTE,
      },
    ]);
  });

  it('are marked isProven only if sent to their account’s verified address or to support', async () => {
    const store = await open();
    const alice = await person(store, 'alice');
    const squatter = await person(store, 'squatter', { emailVerified: false });
    for (const [accountId, recipient] of [
      [alice.id, alice.email],
      [squatter.id, squatter.email],
      [alice.id, 'other@example.com'],
      [null, alice.email],
    ] as const)
      await enqueue(store, { accountId, recipient });
    await enqueue(store, { accountId: squatter.id, recipient: 'support@example.com', content: feedback });
    const claimed = await claimDueMails(store, claim);
    const proven = claimed.filter(({ isProven }) => isProven).map(({ recipient }) => recipient);
    expect(proven.toSorted()).toEqual([alice.email, 'support@example.com']);
  });

  it('are leased to one worker at a time, and each claim counts as an attempt', async () => {
    const store = await open();
    await enqueue(store);
    const first = await claimOne(store, NOW);
    expect(await claimDueMails(store, { ...claim, now: NOW + LEASE - 1 })).toEqual([]);
    const second = await claimOne(store, NOW + LEASE);
    expect(second).toMatchObject({ id: first.id, attempt: 2, messageId: first.messageId });

    const late = { leaseToken: first.leaseToken, now: NOW + LEASE + 1, detail: null };
    expect(await settleMail(store, { ...late, outcome: 'failed' })).toBe(false);
    expect(await retryMail(store, { ...late, nextAttemptAt: NOW })).toBe(false);
    expect(await deferMail(store, { ...late, until: NOW, detail: '' })).toBe(false);
    // The late worker has learned that the mail server accepted the mail, so that is stored.
    expect(
      await settleMail(store, {
        ...late,
        rows: { ids: [first.id], firstAttemptAt: first.firstAttemptAt },
        outcome: 'delivered',
      }),
    ).toBe(true);
    const repeated = { ...late, leaseToken: second.leaseToken, nextAttemptAt: NOW };
    expect(await retryMail(store, repeated)).toBe(false);
    expect(await claimDueMails(store, { ...claim, now: NOW + DAY })).toEqual([]);
  });

  it('mails of a stopped process are released at once, except after three claims in a row', async () => {
    const store = await open();
    await enqueue(store);
    for (const attempt of [1, 2, 3]) {
      expect(await claimOne(store, NOW)).toMatchObject({ attempt });
      await releaseLeases(store, 'mails');
    }
    expect(await claimDueMails(store, { ...claim, now: NOW + LEASE - 1 })).toEqual([]);
    expect(await claimOne(store, NOW + LEASE)).toMatchObject({ attempt: 4 });
  });

  it.each([
    ['delivered', reset, null],
    ['expired', reset, null],
    ['failed', reset, null],
    ['delivered', feedback, null],
    ['failed', feedback, expect.stringContaining('Hello')],
  ] as const)(
    'lose their content when settled as %s, except failed feedback',
    async (outcome, content, data) => {
      const store = await open();
      await enqueue(store, { content });
      const { leaseToken } = await claimOne(store, NOW);
      await settleMail(store, { leaseToken, outcome, detail: 'so', now: NOW + 1 });
      expect(await rows(store)).toMatchObject([
        { state: outcome, data, detail: 'so', settled_at: NOW + 1, lease_token: null },
      ]);
    },
  );

  it('fail and lose their content after too many claims without a report from the worker', async () => {
    const store = await open();
    await enqueue(store, { content: reset });
    let now = NOW;
    for (let count = 0; count < MAX_UNANSWERED_CLAIMS; count++, now += LEASE) await claimOne(store, now);
    expect(await claimDueMails(store, { ...claim, now })).toEqual([]);
    expect(await rows(store)).toMatchObject([
      { state: 'failed', data: null, settled_at: now, detail: expect.stringContaining('We gave up') },
    ]);
  });

  it('become due again at the time of their retry and keep their content', async () => {
    const store = await open();
    await enqueue(store, { content: reset });
    const { id, leaseToken } = await claimOne(store, NOW);
    await retryMail(store, { leaseToken, nextAttemptAt: NOW + MINUTE, now: NOW, detail: '451 Later' });
    expect(await claimDueMails(store, { ...claim, now: NOW + MINUTE - 1 })).toEqual([]);
    const again = await claimOne(store, NOW + MINUTE);
    expect(again).toMatchObject({ id, attempt: 2, content: reset, firstAttemptAt: NOW });
  });

  it('can be held back without counting an attempt, and start with attempt 1 afterwards', async () => {
    const store = await open();
    await enqueue(store);
    const { id, leaseToken } = await claimOne(store, NOW);
    expect(await deferMail(store, { leaseToken, until: NOW + DAY, detail: 'Waits' })).toBe(true);
    expect(await claimDueMails(store, { ...claim, now: NOW + DAY - 1 })).toEqual([]);
    expect(await claimOne(store, NOW + DAY)).toMatchObject({ id, attempt: 1, firstAttemptAt: NOW + DAY });
  });

  it('mails that the quota holds back become due when the address is verified; retries do not', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    for (const delay of ['held', 'greylisted']) {
      await enqueue(store, { accountId });
      const { leaseToken } = await claimOne(store, NOW);
      if (delay === 'held') await deferMail(store, { leaseToken, until: NOW + DAY, detail: HELD_BY_QUOTA });
      else await retryMail(store, { leaseToken, nextAttemptAt: NOW + MINUTE, now: NOW, detail: '' });
    }
    await store.db.transaction().execute((trx) => releaseHeldMail(trx, accountId));
    expect(await claimDueMails(store, claim)).toHaveLength(1);
  });

  it('wait while their account is disabled', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    await enqueue(store, { accountId });
    await enqueue(store, { accountId: null });
    await disableAccount(store, accountId, NOW);
    expect(await claimDueMails(store, claim)).toMatchObject([{ recipient: 'nobody@example.com' }]);
    await enableAccount(store, accountId);
    expect(await claimDueMails(store, claim)).toHaveLength(1);
  });

  it('are rescheduled if a clock that ran ahead had postponed them', async () => {
    const store = await open();
    await enqueue(store, { now: NOW + 30 * DAY });
    await enqueue(store);
    expect(await correctMailTimes(store, NOW)).toBe(1);
    expect(await claimDueMails(store, claim)).toHaveLength(2);
  });

  it('are pruned only after they are settled', async () => {
    const store = await open();
    await enqueue(store);
    await enqueue(store);
    const { leaseToken } = await claimOne(store, NOW);
    await settleMail(store, { leaseToken, outcome: 'delivered', detail: null, now: NOW });
    expect(await deleteExpired(store, 'mails', NOW + 90 * DAY - 1)).toBe(0);
    expect(await deleteExpired(store, 'mails', NOW + 90 * DAY)).toBe(1);
    expect(await rows(store)).toMatchObject([{ state: 'waiting' }]);
  });
});

describeEachDatabase('the mail quota of an unverified address', (open) => {
  it('is 15 mails and 5 links a day', async () => {
    const store = await open();
    const take = (isLink: boolean, now = NOW) =>
      consumeMailQuota(store, { address: 'Alice@example.com', isLink, now });
    const granted = async (count: number, isLink: boolean) => {
      const answers = await Promise.all(Array.from({ length: count }, () => take(isLink)));
      return answers.filter((answer) => answer.granted).length;
    };
    expect(await granted(18, false)).toBe(15);
    expect(await granted(9, true)).toBe(5);
    expect(await take(true, NOW + MINUTE)).toEqual({ granted: false, until: NOW + DAY });
    expect(await take(false, NOW + DAY)).toEqual({ granted: true });
  });

  it('counts only mails that were sent', async () => {
    const store = await open();
    const address = 'alice@example.com';
    for (let sent = 0; sent < 15; sent++) await consumeMailQuota(store, { address, isLink: false, now: NOW });
    for (let refused = 0; refused < 3; refused++)
      expect(await consumeMailQuota(store, { address, isLink: false, now: NOW })).toMatchObject({
        granted: false,
      });
    await refundMailQuota(store, address);
    expect(await consumeMailQuota(store, { address, isLink: false, now: NOW })).toEqual({ granted: true });
    expect(await consumeMailQuota(store, { address: 'bob@example.com', isLink: false, now: NOW })).toEqual({
      granted: true,
    });
  });
});

async function enqueue(store: Store, change: Partial<NewMail> = {}): Promise<void> {
  await store.db.transaction().execute((trx) =>
    enqueueMail(trx, {
      accountId: null,
      recipient: 'nobody@example.com',
      content: { kind: 'password_changed' },
      now: NOW,
      ...change,
    }),
  );
}

async function claimOne(store: Store, now: number): Promise<ClaimedMail> {
  const [claimed] = await claimDueMails(store, { ...claim, now, limit: 1 });
  if (!claimed) throw new Error('Nothing was due');
  return claimed;
}

const rows = (store: Store) => store.db.selectFrom('mails').selectAll().execute();
