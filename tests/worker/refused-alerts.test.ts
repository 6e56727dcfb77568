import { expect, it, onTestFinished } from 'vitest';
import { DEFAULT_ALERT_SETTINGS } from '../../server/core/alerting/settings.ts';
import { changeAccountAlerts } from '../../server/store/alerts/alert-settings.ts';
import { addChannel } from '../../server/store/alerts/channel-changes.ts';
import { storableConfig, type StoredChannelConfig } from '../../server/channels/kinds/index.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { ACCESS_TOKEN, WEBHOOK_SECRET } from '../kit/peers/channel-examples.ts';
import { startWebhookSink } from '../kit/peers/webhook-sink.ts';
import { type Rig, START, startRig } from './rig.ts';
import { DAY_MS, MINUTE_MS } from '../../contract/durations.ts';

const HOST = 'pay.fjord.example';
const OPS = 'ops@fjord.example';

async function tellOnly(rig: Rig, ...configs: StoredChannelConfig[]): Promise<void> {
  const channels: string[] = [];
  for (const config of configs) {
    const added = await addChannel(rig.store, {
      accountId: rig.accountId,
      name: config.kind,
      config: storableConfig(config),
      invitation: null,
      max: 20,
      now: START,
      mayAdd: () => true,
    });
    if (!added.ok) throw new Error(added.code);
    channels.push(added.channel.id);
  }
  await changeAccountAlerts(
    rig.store,
    rig.accountId,
    { settings: { ...DEFAULT_ALERT_SETTINGS, channels } },
    START,
  );
}

const watch = (rig: Rig) =>
  rig.watch(HOST, rig.issue(HOST, { notBefore: START - 86.5 * DAY_MS, notAfter: START + 3.5 * DAY_MS }));
const arrived = ({ sink }: Rig) =>
  sink.ledger.map(({ to, subject }) => `${to.join(' ')}: ${subject.replace(/(?<=example):\d+/, '')}`);
const own = (subject: string) => `alice@certs.test: ${subject}`;

describeAnyDatabase('An alert that is permanently refused', (open) => {
  it('goes to the account’s own address if no other channel is left, and so do later alerts', async () => {
    const rig = await startRig(await open());
    await tellOnly(rig, { kind: 'email', address: OPS });
    rig.sink.behave((recipient) => (recipient === OPS ? 'refuse_recipient' : 'accept'));
    await watch(rig);
    await rig.runUntil(START + MINUTE_MS);
    const notice = own('Alerts no longer reach email');
    expect(arrived(rig).toSorted()).toEqual([notice, own(`${HOST} expires in 3 days`)]);
    await rig.runUntil(START + 4 * DAY_MS);
    const later = arrived(rig).slice(2);
    expect(later.length).toBeGreaterThan(1);
    expect(later.every((line) => line.startsWith(own(HOST)))).toBe(true);
    expect(later.at(-1)).toContain('expired on');
  });

  it.each([403, 410])(
    'goes to the account’s own address after an HTTP %d, and the receiver is not called again',
    async (status) => {
      const rig = await startRig(await open());
      const sink = await startWebhookSink();
      onTestFinished(() => sink.stop());
      sink.answer = () => ({ status });
      const config: StoredChannelConfig =
        status === 410
          ? { kind: 'webhook', url: `${sink.url}/hook`, secrets: [{ secret: WEBHOOK_SECRET, until: null }] }
          : { kind: 'ntfy', server: sink.url, topic: 'alerts', access_token: ACCESS_TOKEN };
      await tellOnly(rig, config);
      await watch(rig);
      await rig.runUntil(START + MINUTE_MS);
      expect(arrived(rig)).toContain(own(`${HOST} expires in 3 days`));
      const sent = sink.requests.length;
      await rig.runUntil(START + DAY_MS / 4);
      // Another channel delivered the alert, so nobody gets it twice and the receiver is not called again.
      expect(arrived(rig).filter((line) => line.includes(HOST))).toHaveLength(1);
      expect(sink.requests).toHaveLength(sent);
    },
  );

  it('is not sent again if another channel delivered it', async () => {
    const rig = await startRig(await open());
    const sink = await startWebhookSink();
    onTestFinished(() => sink.stop());
    await tellOnly(
      rig,
      { kind: 'email', address: OPS },
      { kind: 'webhook', url: `${sink.url}/hook`, secrets: [{ secret: WEBHOOK_SECRET, until: null }] },
    );
    rig.sink.behave((recipient) => (recipient === OPS ? 'refuse_recipient' : 'accept'));
    await watch(rig);
    await rig.runUntil(START + MINUTE_MS);
    expect(arrived(rig)).toEqual([own('Alerts no longer reach email')]);
    expect(sink.requests).toHaveLength(1);
  });

  it('fails after one attempt if the account’s own address was the one that refused it', async () => {
    const rig = await startRig(await open());
    rig.sink.behave('refuse_recipient');
    await watch(rig);
    await rig.runUntil(START + DAY_MS / 4);
    const rows = await rig.store.db.selectFrom('deliveries').select(['state', 'attempts']).execute();
    expect(rows).toEqual([{ state: 'failed', attempts: 1 }]);
  });
});
