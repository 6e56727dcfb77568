import { expect, it, onTestFinished, vi } from 'vitest';
import { startCaServer } from '../kit/peers/ca-server.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { createLoopbackSources } from '../kit/peers/sources.ts';
import { intermediate, START, startRig } from './rig.ts';
import { MINUTE_MS } from '../../contract/durations.ts';

const host = 'pay.fjord.example';

describeAnyDatabase('A missing intermediate whose CA responds late', (open) => {
  it('is reported as an incomplete chain, and fetched again two minutes later', async () => {
    const ca = await startCaServer();
    onTestFinished(() => ca.stop());
    // The check stops waiting long before the fetch gives up, which is after ten seconds.
    const sources = createLoopbackSources();
    const complete = vi.spyOn(sources.intermediates, 'complete');
    const rig = await startRig(await open(), { sources, caps: { intermediates: 200 } });
    const monitor = await rig.watch(host, rig.issue(host), { everyMinutes: 5 });
    await rig.runDue();
    await rig.runUntil(START + 10 * MINUTE_MS);
    expect((await rig.read(monitor)).verdict).toMatchObject({ trusted: true, findings: [] });

    const caIssuersUrls = [ca.issuer('/r1.der', intermediate.der)];
    const release = ca.hold('/r1.der');
    rig.serve(host, { ...rig.issue(host, { caIssuersUrls }), chainPem: '' });
    let at = START + 10 * MINUTE_MS;
    while (ca.requests.length === 0) await rig.runUntil((at += MINUTE_MS));
    const { verdict } = await rig.read(monitor);
    expect(verdict).toMatchObject({
      findings: [{ code: 'incomplete_chain', severity: 'warning' }],
      path: [],
    });
    release();
    // Wait for the answer here: on a busy machine it takes longer than a check waits. The next check finds it in the cache.
    const [question] = complete.mock.lastCall ?? [];
    if (question === undefined) throw new Error('Nothing was fetched');
    const patient = { signal: new AbortController().signal, now: rig.clock.now() + 2 * MINUTE_MS };
    await sources.intermediates.complete({ ...question, ...patient });
    await rig.runUntil((verdict?.judgedAt ?? 0) + 2.5 * MINUTE_MS);
    expect((await rig.read(monitor)).verdict).toMatchObject({
      trusted: true,
      findings: [{ code: 'incomplete_chain', facts: { kind: 'missing_intermediates' } }],
    });
    expect(rig.arrivals.map(({ subject }) => subject).toSorted()).toEqual([
      `${host}’s certificate chain is incomplete`,
      `${host}’s certificate changed unexpectedly`,
    ]);
  });
});
