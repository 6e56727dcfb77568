import { expect, it, onTestFinished } from 'vitest';
import { storableConfig } from '../../server/channels/kinds/index.ts';
import { addChannel } from '../../server/store/alerts/channel-changes.ts';
import { setUnsubscribed } from '../../server/store/mail/unsubscriptions.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { WEBHOOK_SECRET } from '../kit/peers/channel-examples.ts';
import { startWebhookSink } from '../kit/peers/webhook-sink.ts';
import { type Rig, START, startRig } from './rig.ts';
import { HOUR_MS, MINUTE_MS } from '../../contract/durations.ts';

const HOSTS = Array.from({ length: 12 }, (_, index) => `h${String(index).padStart(2, '0')}.shop.example`);

interface Body {
  type: string;
  data: {
    domain: { hostname: string };
    domains: { hostname: string; incident: { id: string; ended_at: string | null }; message: string }[];
    domain_count: number;
    incident: { id: string };
  };
}

/** Watches twelve hosts of one account, each checked once an hour. Alerts go to mail and a webhook. */
async function startFleet(rig: Rig) {
  const sink = await startWebhookSink();
  onTestFinished(() => sink.stop());
  const secrets = [{ secret: WEBHOOK_SECRET, until: null }];
  await addChannel(rig.store, {
    accountId: rig.accountId,
    name: 'ops',
    config: storableConfig({ kind: 'webhook', url: `${sink.url}/hook`, secrets }),
    invitation: null,
    max: 20,
    mayAdd: () => true,
    now: START,
  });
  const monitors = new Map<string, string>();
  for (const host of HOSTS) {
    const { id } = await rig.watch(host, rig.issue(host), { everyMinutes: 60 });
    monitors.set(host, id);
  }
  await rig.runDue();
  return {
    monitors,
    bodies: () => sink.requests.map(({ body }) => JSON.parse(body) as Body),
    setReachable: (yes: boolean, hosts: readonly string[] = HOSTS) => {
      for (const host of hosts) rig.reachable(host, yes);
    },
  };
}

describeAnyDatabase('Outages of many hosts', (open) => {
  it('cause one message per channel, and one more when the hosts are up again', async () => {
    const rig = await startRig(await open());
    const fleet = await startFleet(rig);
    fleet.setReachable(false);
    await rig.runUntil(START + HOUR_MS + 2 * MINUTE_MS);
    const [mail] = rig.arrivals;
    const first = HOSTS.find((host) => mail?.subject.startsWith(host));
    expect(rig.arrivals.map(({ subject }) => subject)).toEqual([`${first} and 11 other hosts are down`]);
    expect(mail?.text).toMatch(/Hosts: +h00\.shop\.example:\d+, h01\.shop\.example.*\n +and 2 more\n/);
    expect(mail?.text).toContain('https://certs.test/dashboard?status=attention');
    expect(fleet.bodies()).toHaveLength(1);
    const [{ type, data } = { type: '' }] = fleet.bodies();
    expect([type, data?.domain.hostname, data?.domain_count]).toEqual(['endpoint.down', first, 12]);
    expect(data?.domains.map(({ hostname }) => hostname)).toEqual(HOSTS);
    const incidents = data?.domains.map(({ incident }) => incident.id) ?? [];
    expect(new Set(incidents).size).toBe(12);
    expect(incidents).toContain(data?.incident.id);
    expect(data?.domains.every(({ message }) => message !== '')).toBe(true);
    const rows = await rig.store.db.selectFrom('deliveries').select(['state', 'detail']).execute();
    expect(rows).toHaveLength(24);
    for (const row of rows)
      expect(row).toMatchObject({
        state: 'delivered',
        detail: expect.stringContaining('(one message about 12 hosts)'),
      });

    fleet.setReachable(true);
    await rig.runUntil(START + 3 * HOUR_MS);
    expect(rig.arrivals.slice(1).map(({ subject }) => subject)).toEqual([
      expect.stringMatching(/ and 11 other hosts are up again$/),
    ]);
    expect(fleet.bodies().map((body) => [body.type, body.data.domains.length])).toEqual([
      ['endpoint.down', 12],
      ['endpoint.up', 12],
    ]);
  });

  it('are reported without hosts that came back, or that the reader unsubscribed from, before the message was sent', async () => {
    const rig = await startRig(await open());
    const fleet = await startFleet(rig);
    fleet.setReachable(false);
    await rig.sink.down();
    await rig.runUntil(START + HOUR_MS + MINUTE_MS);
    expect(rig.arrivals).toEqual([]);
    const [back = '', unwanted = ''] = HOSTS;
    const { accountId } = rig;
    const monitorId = fleet.monitors.get(unwanted) ?? '';
    const now = rig.clock.now();
    await setUnsubscribed(
      rig.store,
      { accountId, channelKey: 'email', monitorId },
      { choice: 'domain', now },
    );
    await rig.store.db
      .updateTable('incident_members')
      .set({ ended_at: now })
      .where('monitor_id', '=', fleet.monitors.get(back) ?? '')
      .execute();
    await rig.sink.up();
    await rig.runUntil(START + 3 * HOUR_MS);
    expect(rig.arrivals[0]?.subject).toMatch(/ and 9 other hosts are down$/);
    for (const host of [back, unwanted]) expect(rig.arrivals[0]?.text).not.toContain(host);
    const mails = await rig.store.db
      .selectFrom('deliveries')
      .innerJoin('alerts', 'alerts.id', 'deliveries.alert_id')
      .select(['alerts.monitor_id', 'deliveries.state'])
      .where('channel_key', '=', 'email')
      .where('step', '=', 'opened')
      .execute();
    for (const { monitor_id: id, state } of mails) {
      const isOut = id === fleet.monitors.get(back) || id === monitorId;
      expect(state).toBe(isOut ? 'superseded' : 'delivered');
    }
  });
});
