import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { enqueueDigest } from '../../server/store/mail/digest.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { insertIncidents } from '../kit/databases/incidents.ts';
import { failingRow } from '../kit/product/sample-forecast.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { type Rig, START, startRig } from './rig.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../contract/durations.ts';
import { nextDigestAt } from '../../server/core/digest.ts';

/** Switches the digest on for a Premium account. Returns when the digest is due. */
async function digestFor(rig: Rig, timeZone: string | null = 'Europe/Oslo'): Promise<number> {
  const at = nextDigestAt(rig.clock.now(), timeZone);
  await rig.store.db.updateTable('accounts').set({ time_zone: timeZone, digest_next_at: at }).execute();
  return at;
}

const nextOf = async (store: Store) =>
  (await store.db.selectFrom('accounts').select('digest_next_at').executeTakeFirstOrThrow()).digest_next_at;

const digests = (rig: Rig) =>
  rig.sink.ledger.filter(({ text }) => text.includes('weekly digest')).map(({ subject }) => subject);

it('The digest is due on Monday at eight in the reader’s time zone, in summer and winter', () => {
  const at = (text: string) => Date.parse(text);
  const next = (now: string, zone: string | null) => new Date(nextDigestAt(at(now), zone)).toISOString();
  expect(next('2026-11-21T12:00:00Z', 'Europe/Oslo')).toBe('2026-11-23T07:00:00.000Z');
  expect(next('2026-11-23T07:00:00Z', 'Europe/Oslo')).toBe('2026-11-30T07:00:00.000Z');
  // Daylight saving time ended the night before.
  expect(next('2026-10-24T12:00:00Z', 'Europe/Oslo')).toBe('2026-10-26T07:00:00.000Z');
  expect(next('2026-10-17T12:00:00Z', 'Europe/Oslo')).toBe('2026-10-19T06:00:00.000Z');
  expect(next('2026-11-21T12:00:00Z', 'Pacific/Auckland')).toBe('2026-11-22T19:00:00.000Z');
  expect(next('2026-11-21T12:00:00Z', null)).toBe('2026-11-23T08:00:00.000Z');
});

describeEachDatabase('The weekly digest', (open) => {
  it('says that all certificates are fine, is sent once and schedules the next one', async () => {
    const rig = await startRig(await open());
    for (const host of ['a.fjord.example', 'b.fjord.example']) await rig.watch(host);
    await rig.runDue();
    const at = await digestFor(rig);
    rig.clock.set(at - 1);
    await rig.runDue();
    expect(digests(rig)).toEqual([]);
    rig.clock.set(at);
    await rig.runDue();
    await rig.runDue();
    expect(digests(rig)).toEqual(['All 2 certificates are fine']);
    expect(await nextOf(rig.store)).toBe(nextDigestAt(at, 'Europe/Oslo'));
    const mail = rig.sink.ledger.at(-1);
    expect(mail?.text).toContain('There is nothing to do.');
    const header = (name: string) =>
      mail?.parsed.headerLines.find(({ key }) => key === name)?.line.replaceAll(/\r\n(?=\s)/g, '');
    expect(header('list-unsubscribe')).toMatch(/^List-Unsubscribe: <https:\S+\/api\/unsubscribe\/\S+>$/);
    expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
  });

  it('lists urgent, upcoming and renewed certificates, incidents and low uptime', async () => {
    const rig = await startRig(await open());
    const { clock } = rig;
    const ending = (days: number) => ({ notBefore: START - 80 * DAY_MS, notAfter: START + days * DAY_MS });
    await rig.watch('gone.fjord.example', rig.issue('gone.fjord.example', ending(1)));
    await rig.watch('soon.fjord.example', rig.issue('soon.fjord.example', ending(8)));
    await rig.watch('later.fjord.example', rig.issue('later.fjord.example', ending(20)));
    const renewed = await rig.watch('new.fjord.example', rig.issue('new.fjord.example', ending(9)));
    await rig.runDue();
    rig.serve('new.fjord.example', rig.issue('new.fjord.example', { notAfter: START + 90 * DAY_MS }));
    await rig.runUntil(START + 2 * DAY_MS);
    expect((await rig.read(renewed)).verdict).not.toBeNull();
    await insertIncidents(rig.store.db, [
      {
        account_id: renewed.accountId,
        id: randomUUID(),
        monitor_id: renewed.id,
        problem: 'down',
        fingerprint: '',
        recovered: 1,
        started_at: clock.now() - 3 * HOUR_MS,
        confirmed_at: clock.now() - 2 * HOUR_MS,
        ended_at: clock.now() - 2 * HOUR_MS - 30 * MINUTE_MS,
        cause: 'other',
        message: '',
        facts: '{}',
      },
    ]);
    await rig.store.db
      .updateTable('monitors')
      .set({ uptime_since: START - DAY_MS })
      .execute();
    const at = await digestFor(rig, null);
    clock.set(at);
    await rig.runDue();
    const text = rig.sink.ledger.find((mail) => mail.text.includes('weekly digest'))?.text ?? '';
    expect(text.replaceAll(/\s+/g, ' ')).toMatch(
      /Renew the certificate of gone\.fjord\.example:\d+ first: it expired on \w+day, /,
    );
    expect(text).toMatch(/^- gone\.fjord\.example:\d+: expired on \w+day, /m);
    expect(text).toMatch(/^- soon\.fjord\.example:\d+: expires on \w+day, /m);
    expect(text).toMatch(/To renew in the next 30 days:\n- later\.fjord\.example:\d+: expires on /);
    expect(text).toMatch(/Renewed last week:\n- new\.fjord\.example:\d+: valid until /);
    expect(text).toMatch(/- new\.fjord\.example:\d+: down for 30 minutes, since /);
    expect(text).toMatch(/Lowest uptime last week:\n- new\.fjord\.example:\d+: 99\.\d%/);
    expect(text).not.toMatch(/undefined|NaN|null/);
  });

  it('lists the renewals that will fail, and says so first if nothing is more urgent', async () => {
    const rig = await startRig(await open());
    const failing = await rig.watch('a.fjord.example');
    await rig.watch('b.fjord.example');
    await rig.runDue();
    const fingerprint = (await rig.read(failing)).certificate?.fingerprint ?? '';
    const expectedAt = Date.UTC(2027, 3, 20);
    await rig.store.db
      .insertInto('forecasts')
      .values(failingRow({ accountId: rig.accountId, fingerprint, expectedAt }))
      .execute();
    rig.clock.set(await digestFor(rig, null));
    await rig.runDue();
    const text = rig.sink.ledger.find((mail) => mail.text.includes('weekly digest'))?.text ?? '';
    const cause = 'CAA forbids Let’s Encrypt';
    expect(text).toMatch(
      new RegExp(`^The next renewal of a\\.fjord\\.example:\\d+ will fail: ${cause}\\.`, 'm'),
    );
    expect(text).toMatch(
      new RegExp(
        `Renewals that will fail:\\n- a\\.fjord\\.example:\\d+: ${cause}; expected on 20 April 2027`,
      ),
    );
  });

  it('is queued once, even by two concurrent workers', async () => {
    const rig = await startRig(await open());
    await rig.watch('a.fjord.example');
    const now = await digestFor(rig);
    const both = [rig.store, rig.store].map((store) =>
      enqueueDigest(store, { accountId: rig.accountId, now }),
    );
    expect((await Promise.all(both)).filter(Boolean)).toHaveLength(1);
  });

  it('is skipped without Premium or after unsubscribing, and resumes afterwards', async () => {
    const rig = await startRig(await open());
    await rig.watch('a.fjord.example');
    const first = await digestFor(rig);
    await rig.store.db.updateTable('accounts').set({ plan: 'free', granted_at: null }).execute();
    expect(await enqueueDigest(rig.store, { accountId: rig.accountId, now: first })).toBe(false);
    await rig.store.db.updateTable('accounts').set({ plan: 'premium', granted_at: START }).execute();
    await rig.store.db
      .insertInto('unsubscriptions')
      .values({
        id: randomUUID(),
        account_id: rig.accountId,
        channel_key: 'email',
        monitor_id: null,
        created_at: START,
      })
      .execute();
    const second = (await nextOf(rig.store)) ?? 0;
    expect(second).toBeGreaterThan(first);
    expect(await enqueueDigest(rig.store, { accountId: rig.accountId, now: second })).toBe(false);
    await rig.store.db.deleteFrom('unsubscriptions').execute();
    const third = (await nextOf(rig.store)) ?? 0;
    expect(await enqueueDigest(rig.store, { accountId: rig.accountId, now: third })).toBe(true);
  });

  it('is rescheduled after a change of the time zone or a correction of the clock', async () => {
    const rig = await startRig(await open());
    await rig.watch('a.fjord.example');
    const planned = await digestFor(rig, null);
    await rig.store.db.updateTable('accounts').set({ time_zone: 'America/New_York' }).execute();
    expect(await enqueueDigest(rig.store, { accountId: rig.accountId, now: planned })).toBe(false);
    expect(await nextOf(rig.store)).toBe(nextDigestAt(planned, 'America/New_York'));
    await rig.store.db
      .updateTable('accounts')
      .set({ digest_next_at: planned + 400 * DAY_MS })
      .execute();
    await rig.runDue();
    expect(await nextOf(rig.store)).toBe(nextDigestAt(rig.clock.now(), 'America/New_York'));
  });
});
