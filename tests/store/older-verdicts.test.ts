import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { certificateFacts } from '../../server/core/facts.ts';
import { judge } from '../../server/core/judge/judge.ts';
import type { Observation } from '../../server/core/observation.ts';
import { describeVerdict } from '../../server/core/report/describe-finding.ts';
import { tryParseCertificate } from '../../server/pki/certificate.ts';
import { createTrustStore } from '../../server/pki/trust-store.ts';
import { dashboardSummary } from '../../server/store/monitors/monitor-summary.ts';
import { findMonitor } from '../../server/store/monitors/monitors.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { ENDPOINT, HOST, NOW, sentencesIn } from '../kit/certificates/judging.ts';
import { claimOne, leaseOf, MINUTE, person, recordCheck, watch } from './samples.ts';

/**
 * Rows of `verdicts` and the observations that they judged. The rows are from the last version that stored findings as
 * sentences and shell commands.
 */
interface OlderVerdicts {
  /** DER of the trusted roots, in Base64. */
  roots: string[];
  reached: OlderVerdict;
  unreached: OlderVerdict;
}
interface OlderVerdict {
  id: string;
  verdict: { findings: object[]; failure: { message: string } | null; posture: object | null };
  observation: Observation;
}

const text = readFileSync(join(import.meta.dirname, 'older-verdicts.json'), 'utf8');
const { roots, reached, unreached } = JSON.parse(text, (_, value: unknown) =>
  typeof value === 'object' && value !== null && 'base64' in value
    ? new Uint8Array(Buffer.from(String(value.base64), 'base64'))
    : value,
) as OlderVerdicts;
const trustStore = createTrustStore(roots.map((der) => new Uint8Array(Buffer.from(der, 'base64'))));

describeEachDatabase('a verdict that an older version stored as sentences', (open) => {
  it.each([
    ['with findings', reached],
    ['of a host that was not reached', unreached],
  ])('is shown with the same words (%s)', async (_, older) => {
    const { store, key } = await checkedTimes(await open(), older, 1);
    await storeAsOlder(store, older);
    const verdict = (await findMonitor(store, key))?.verdict;
    expect(verdict && describeVerdict(verdict, ENDPOINT)).toMatchObject({
      ...older.verdict,
      hasOwnRoot: false,
    });
  });

  it.each([
    ['with findings', reached],
    ['of a host that was not reached', unreached],
  ])('causes no alert, no incident and no new check run at the next check (%s)', async (_, older) => {
    const { store, key, check } = await checkedTimes(await open(), older, 6);
    const { problems } = await dashboardSummary(store, { accountId: key.accountId, now: NOW });
    await storeAsOlder(store, older);
    const before = await past(store);
    expect(before.incidents).not.toEqual([]);
    expect(before.alerts).not.toEqual([]);
    const signals: unknown[] = [];
    store.signals.subscribe((signal) => signals.push(signal));
    await check();

    expect(await past(store)).toEqual(before);
    expect(signals).toEqual([{ topic: 'domain', ...key, change: 'checked' }]);
    expect((await dashboardSummary(store, { accountId: key.accountId, now: NOW })).problems).toEqual(
      problems,
    );
    // The check replaced the words with codes and values.
    const { verdict } = await store.db.selectFrom('verdicts').select('verdict').executeTakeFirstOrThrow();
    expect(sentencesIn(JSON.parse(verdict))).toEqual([]);
  });
});

/** Watches the host and checks it this many times, a minute apart, with the same evidence. */
async function checkedTimes(store: Store, { id, observation }: OlderVerdict, times: number) {
  const { id: accountId } = await person(store, 'alice');
  const { id: monitorId } = await watch(store, accountId, HOST, { now: NOW });
  const key = { accountId, monitorId };
  let now = NOW;
  const check = async () => {
    const claimed = await claimOne(store, now);
    const seen = { ...observation, observedAt: now };
    const chains = seen.addresses.flatMap((one) => (one.outcome === 'handshake' ? one.presentedChain : []));
    await recordCheck(store, {
      lease: leaseOf(claimed),
      now,
      observation: seen,
      verdict: judge(seen, now, trustStore, claimed.verdict),
      certificates: chains
        .flatMap((der) => tryParseCertificate(der) ?? [])
        .map((certificate) => ({ facts: certificateFacts(certificate) })),
      jitter: 0,
      nextCheckAt: now + MINUTE,
    });
    now += MINUTE;
  };
  for (let count = 0; count < times; count++) await check();
  // Today's verdict has the same id as the older one. So `storeAsOlder` replaced the content of this row.
  expect(await store.db.selectFrom('verdicts').select('id').execute()).toEqual([{ id }]);
  return { store, key, check };
}

async function storeAsOlder(store: Store, { id, verdict }: OlderVerdict): Promise<void> {
  await store.db
    .updateTable('verdicts')
    .set({ verdict: JSON.stringify(verdict) })
    .where('id', '=', id)
    .execute();
}

/** Returns all alerts, deliveries and the history. */
async function past(store: Store) {
  const { db } = store;
  const incidents = await db
    .selectFrom('incident_members')
    .select(['id', 'problem', 'confirmed_at', 'ended_at', 'facts'])
    .orderBy('id')
    .execute();
  return {
    incidents: incidents.map(({ facts, ...rest }) => ({
      ...rest,
      facts: { ...(JSON.parse(facts) as object), asOf: null },
    })),
    alerts: await db.selectFrom('alerts').select(['id', 'kind', 'step', 'facts']).orderBy('id').execute(),
    deliveries: await db.selectFrom('deliveries').select(['id', 'state']).orderBy('id').execute(),
    runs: await db.selectFrom('check_runs').select(['verdict_id', 'evidence_id']).execute(),
    verdicts: await db.selectFrom('verdicts').select('id').execute(),
  };
}
