import { expect, it, onTestFinished } from 'vitest';
import { type CaServer, startCaServer } from '../kit/peers/ca-server.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { mintCrl, type Revoked } from '../kit/certificates/mint-crl.ts';
import { createLoopbackSources } from '../kit/peers/sources.ts';
import { intermediate, START, startRig } from './rig.ts';
import { DAY_MS, HOUR_MS } from '../../contract/durations.ts';

const host = 'pay.fjord.example';
const PATH = '/r1.crl';

/** Publishes the CRL of the rig's intermediate as of `at` and returns its URL. */
function publish(ca: CaServer, at: number, revoked: readonly Revoked[]): string {
  const times = { thisUpdate: at - HOUR_MS, nextUpdate: at + 7 * DAY_MS };
  return ca.crl(PATH, mintCrl(intermediate, { ...times, revoked }));
}

describeAnyDatabase('A revoked certificate', (open) => {
  it('is reported once at the check that finds it, and stays revoked until it is replaced', async () => {
    const ca = await startCaServer();
    onTestFinished(() => ca.stop());
    const rig = await startRig(await open(), { sources: createLoopbackSources() });
    const serialNumber = 0x4711n;
    const crlUrls = [publish(ca, START, [])];
    const monitor = await rig.watch(host, rig.issue(host, { serialNumber, crlUrls }));
    await rig.runDue();
    expect((await rig.read(monitor)).verdict).toMatchObject({
      trusted: true,
      revocation: { state: 'good', source: 'crl' },
    });
    expect(rig.arrivals).toEqual([]);

    const revokedAt = START + DAY_MS;
    publish(ca, START + 2 * DAY_MS, [{ serialNumber, revokedAt, reason: 1 }]);
    await rig.runUntil(START + 3 * DAY_MS);
    expect(rig.arrivals.map(({ subject }) => subject)).toEqual([`${host}’s certificate was revoked`]);
    expect(rig.arrivals[0]?.text).toContain('its key was compromised');
    expect(rig.arrivals[0]?.text).toMatch(/Revoked on: +2 March 2027, 09:30 UTC/);

    // A CRL may drop certificates that have expired, and may be unavailable. Neither ends the revocation.
    publish(ca, START + 4 * DAY_MS, []);
    await rig.runUntil(START + 6 * DAY_MS);
    ca.fault(PATH, 'error');
    await rig.runUntil(START + 9 * DAY_MS);
    const later = await rig.read(monitor);
    expect(later.verdict).toMatchObject({ trusted: false, revocation: { state: 'revoked' } });
    expect(rig.arrivals).toHaveLength(1);

    publish(ca, START + 9 * DAY_MS, []);
    rig.serve(host, rig.issue(host, { crlUrls }));
    await rig.runUntil(START + 10 * DAY_MS);
    expect((await rig.read(monitor)).verdict).toMatchObject({
      trusted: true,
      revocation: { state: 'good' },
    });
    // One mail about the replacement follows the alert.
    expect(rig.arrivals.slice(1).map(({ subject }) => subject)).toEqual([
      `${host}’s revoked certificate was replaced`,
    ]);
  });
});
