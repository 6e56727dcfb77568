import { expect, it, onTestFinished } from 'vitest';
import { addChannel } from '../../server/store/alerts/channel-changes.ts';
import { storableConfig } from '../../server/channels/kinds/index.ts';
import type { MintedCertificate } from '../kit/certificates/mint.ts';
import { startTlsServer, type TlsPeer } from '../kit/peers/tls-server.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { WEBHOOK_SECRET } from '../kit/peers/channel-examples.ts';
import { startWebhookSink } from '../kit/peers/webhook-sink.ts';
import { type Rig, START, startRig } from './rig.ts';
import { DAY_MS, HOUR_MS } from '../../contract/durations.ts';

const HOSTS = 300;

/** Starts 300 TLS servers with one certificate, each watched under a name of its own, and a webhook receiver. */
async function startFleet(rig: Rig, certificate: MintedCertificate) {
  const sink = await startWebhookSink();
  const servers: TlsPeer[] = [];
  onTestFinished(async () => {
    await Promise.all([sink.stop(), ...servers.map((server) => server.stop())]);
  });
  const config = {
    kind: 'webhook' as const,
    url: `${sink.url}/hook`,
    secrets: [{ secret: WEBHOOK_SECRET, until: null }],
  };
  await addChannel(rig.store, {
    accountId: rig.accountId,
    name: 'ops',
    config: storableConfig(config),
    invitation: null,
    max: 20,
    mayAdd: () => true,
    now: START,
  });
  for (let index = 0; index < HOSTS; index++) {
    const server = await startTlsServer({ '*': certificate });
    servers.push(server);
    const host = `h${String(index).padStart(3, '0')}.shop.example`;
    rig.reachable(host, true);
    await rig.add(host, server.port);
  }
  return {
    /** Installs a certificate on some of the servers. */
    install: (renewed: MintedCertificate, on: readonly [number, number]) => {
      for (const server of servers.slice(...on)) server.setCertificate('*', renewed);
    },
    /** Returns what the receiver got: for each message the step, the number of domains, and how many are named. */
    received: () =>
      sink.requests.map(({ body }) => {
        const { data } = JSON.parse(body) as {
          data: { step: string; domain_count: number; domains: { hostname: string }[] };
        };
        return [data.step, data.domain_count, data.domains.length];
      }),
  };
}

describeAnyDatabase('One certificate on 300 servers', (open) => {
  // Has a long timeout: it makes some 2,400 checks, each of which takes longer on a busy machine.
  it(
    'causes one message per channel and step, and one when the last server is renewed',
    { timeout: 180_000 },
    async () => {
      const rig = await startRig(await open());
      const expiry = START + 3.5 * DAY_MS;
      const wildcard = rig.issue('*.shop.example', { notBefore: expiry - 90 * DAY_MS, notAfter: expiry });
      const renewed = rig.issue('*.shop.example', { notBefore: START, notAfter: START + 90 * DAY_MS });
      const fleet = await startFleet(rig, wildcard);
      await rig.runUntil(START + HOUR_MS);
      expect(fleet.received()).toEqual([['critical', 300, 100]]);

      fleet.install(renewed, [0, 297]);
      // All domains have been checked when three days are left.
      await rig.runUntil(START + 13 * HOUR_MS);
      expect(fleet.received()).toEqual([
        ['critical', 300, 100],
        ['three_days', 3, 3],
      ]);
      expect(rig.arrivals.at(-1)?.text).toContain('297 of 300 hosts no longer serve this certificate');

      fleet.install(renewed, [297, 300]);
      await rig.runUntil(START + 38 * HOUR_MS);
      expect(fleet.received().slice(2)).toEqual([['resolved', 300, 100]]);
      expect(rig.arrivals.map(({ subject }) => subject)).toEqual([
        '*.shop.example expires in 3 days (300 hosts)',
        '*.shop.example expires in 3 days (3 hosts)',
        '*.shop.example’s certificate was renewed (300 hosts)',
      ]);
    },
  );
});
