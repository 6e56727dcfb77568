import { expect, it } from 'vitest';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { DAY_MS, MINUTE_MS } from '../../contract/durations.ts';
import { START, startRig } from './rig.ts';

const HOST = 'shop.fjord.example';

describeEachDatabase('Two backends of one host', (open) => {
  it('are each checked where their target says, and the alert names the backend that it is about', async () => {
    const rig = await startRig(await open());
    // Both backends are the rig's server. It sends another certificate for another server name.
    rig.serve(HOST, rig.issue(HOST));
    rig.serve(
      'old.example',
      rig.issue(HOST, { notBefore: START - 85 * DAY_MS, notAfter: START + 5 * DAY_MS }),
    );
    const to = `"connect_to":"127.0.0.1:${rig.port}"`;
    const fine = await rig.add(HOST, 443, { target: `{${to}}` });
    const old = await rig.add(HOST, 443, { target: `{${to},"server_name":"old.example"}` });
    await rig.runUntil(START + 10 * MINUTE_MS);
    expect(await rig.read(fine)).toMatchObject({ uptime: 'up', notAfter: START + 90 * DAY_MS });
    expect(await rig.read(old)).toMatchObject({ uptime: 'up', notAfter: START + 5 * DAY_MS });
    // The rig removes its port from subjects.
    expect(rig.arrivals.map(({ subject }) => subject)).toEqual([
      expect.stringContaining(`${HOST} via 127.0.0.1 (server name old.example)`),
    ]);
  });
});
