import { expect, it, onTestFinished } from 'vitest';
import { readAuthorities } from '../../server/core/pasted-certificates.ts';
import { addAuthorities } from '../../server/store/accounts/authorities.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { startTlsServer } from '../kit/peers/tls-server.ts';
import { type Rig, START, startRig } from './rig.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../contract/durations.ts';

const home = mintAuthority({ commonName: 'Home Root', notBefore: START - DAY_MS });

/** Starts a web server. It answers with the status that the test sets. */
async function site(rig: Rig, certificate = rig.issue('shop.example')) {
  let status = 200;
  const peer = await startTlsServer(
    { '*': certificate },
    {
      serve(_request, response) {
        response.writeHead(status).end();
      },
    },
  );
  rig.reachable('shop.example', true);
  onTestFinished(() => peer.stop());
  return { peer, set: (next: number) => void (status = next) };
}

const incidents = ({ store }: Rig) => store.db.selectFrom('incident_members').selectAll().execute();

describeAnyDatabase('The uptime of a monitor', (open) => {
  it('is up, then down after a second failure half a minute later, then up again', async () => {
    const rig = await startRig(await open());
    const { peer, set } = await site(rig);
    const added = await rig.add('shop.example', peer.port, { protocol: 'https' });
    await rig.runDue();
    expect(await rig.read(added)).toMatchObject({ uptime: 'up', recentChecks: 'u' });

    await rig.runUntil(START + HOUR_MS);
    set(503);
    const at = (await rig.read(added)).nextCheckAt;
    await rig.runUntil(at);
    expect(await rig.read(added)).toMatchObject({
      uptime: 'up',
      suspectedSince: at,
      nextCheckAt: at + MINUTE_MS / 2,
    });
    expect(await incidents(rig)).toEqual([]);

    await rig.runUntil(at + MINUTE_MS / 2);
    const down = await rig.read(added);
    expect(down).toMatchObject({ uptime: 'down', downSince: at, verdict: { reached: true } });
    // The interval is a day, but a host that is down is checked again within the hour.
    expect(down.nextCheckAt - at).toBeLessThanOrEqual(HOUR_MS + MINUTE_MS);
    set(200);
    await rig.runUntil(down.nextCheckAt);
    expect(await rig.read(added)).toMatchObject({ uptime: 'up', downSince: null });
    expect(await incidents(rig)).toMatchObject([
      { started_at: at, confirmed_at: at + MINUTE_MS / 2, ended_at: down.nextCheckAt, cause: 'server_error' },
    ]);
  });

  it('does not change after a single failed check', async () => {
    const rig = await startRig(await open());
    const added = await rig.watch('shop.example');
    await rig.runDue();
    rig.reachable('shop.example', false);
    const { nextCheckAt } = await rig.read(added);
    rig.clock.set(nextCheckAt);
    await rig.runDue();
    rig.reachable('shop.example', true);
    await rig.runUntil(nextCheckAt + MINUTE_MS);
    expect(await rig.read(added)).toMatchObject({ uptime: 'up', suspectedSince: null });
    expect((await rig.read(added)).recentChecks).toMatch(/^u+du$/);
    expect(await incidents(rig)).toEqual([]);
  });

  it('does not depend on the certificate', async () => {
    const rig = await startRig(await open());
    const expired = rig.issue('shop.example', { notBefore: START - 9 * DAY_MS, notAfter: START - DAY_MS });
    const { peer } = await site(rig, expired);
    const added = await rig.add('shop.example', peer.port, { protocol: 'https' });
    await rig.runDue();
    expect(await rig.read(added)).toMatchObject({ uptime: 'up', verdict: { trusted: false } });
  });
});

describeAnyDatabase('An account’s own CA', (open) => {
  it('is trusted for its domains at the next check, within a minute', async () => {
    const rig = await startRig(await open());
    const added = await rig.watch(
      'nas.example',
      home.issue({ dnsNames: ['nas.example'], notBefore: START, notAfter: START + 90 * DAY_MS }),
    );
    await rig.runDue();
    expect(await rig.read(added)).toMatchObject({ verdict: { trusted: false } });
    const read = readAuthorities(home.certificatePem);
    if (!read.ok) throw new Error(read.message);
    const { authorities } = read;
    const now = START + MINUTE_MS;
    rig.clock.set(now);
    await rig.runDue();
    await addAuthorities(rig.store, { accountId: rig.accountId, authorities, max: 20, now });
    await rig.runUntil(now + MINUTE_MS);
    expect(await rig.read(added)).toMatchObject({ verdict: { trusted: true } });
  });
});
