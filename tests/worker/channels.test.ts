import { Webhook } from 'standardwebhooks';
import { expect, it, onTestFinished } from 'vitest';
import { storableConfig, type StoredChannelConfig } from '../../server/channels/kinds/index.ts';
import { DEFAULT_ALERT_SETTINGS } from '../../server/core/alerting/settings.ts';
import { changeAccountAlerts } from '../../server/store/alerts/alert-settings.ts';
import { addChannel } from '../../server/store/alerts/channel-changes.ts';
import { replayDelivery, sendTest } from '../../server/store/alerts/channel-sending.ts';
import { channelsOf } from '../../server/store/alerts/channels.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { HTTP_EXAMPLES, WEBHOOK_SECRET } from '../kit/peers/channel-examples.ts';
import { startWebhookSink, type WebhookSink } from '../kit/peers/webhook-sink.ts';
import { type Rig, START, startRig } from './rig.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../contract/durations.ts';

async function startSink(): Promise<WebhookSink> {
  const sink = await startWebhookSink();
  onTestFinished(() => sink.stop());
  return sink;
}

async function add(rig: Rig, config: StoredChannelConfig): Promise<string> {
  const added = await addChannel(rig.store, {
    accountId: rig.accountId,
    name: config.kind,
    config: storableConfig(config),
    invitation: null,
    max: 20,
    mayAdd: () => true,
    now: rig.clock.now(),
  });
  if (!added.ok) throw new Error(added.code);
  return added.channel.id;
}

const webhookAt = ({ url }: WebhookSink, path = ''): StoredChannelConfig => ({
  kind: 'webhook',
  url: `${url}/hook${path}`,
  secrets: [{ secret: WEBHOOK_SECRET, until: null }],
});

/** Watches a host whose certificate expires in six and a half days, so that one alert is sent now and none for three days. */
const alarm = (rig: Rig, host = 'pay.fjord.example') =>
  rig.watch(host, rig.issue(host, { notBefore: START - 80 * DAY_MS, notAfter: START + 6.5 * DAY_MS }));

const types = ({ requests }: WebhookSink) =>
  requests.map(({ body }) => (JSON.parse(body) as { type: string }).type);

async function deliveries(rig: Rig, channelId: string) {
  return rig.store.db
    .selectFrom('deliveries')
    .select(['id', 'state', 'detail', 'next_attempt_at'])
    .where('channel_key', '=', channelId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

async function channel(rig: Rig, channelId: string) {
  const { added } = await channelsOf(rig.store, rig.accountId);
  return added.find(({ id }) => id === channelId);
}

describeAnyDatabase('An alert over HTTP', (open) => {
  it('reaches every kind of channel whose address people enter, and names the host', async () => {
    const rig = await startRig(await open());
    const sink = await startSink();
    const here = HTTP_EXAMPLES.filter(({ service }) => service === undefined);
    for (const example of here) await add(rig, example.at(sink.url));
    await alarm(rig);
    await rig.runDue();
    // Matrix gets the message id in the path.
    const withoutId = (path = '') => path.replace(/m\.room\.message\/.*/, '');
    expect(new Set(sink.requests.map(({ path }) => withoutId(path)))).toEqual(
      new Set(here.map(({ request }) => withoutId(request.path))),
    );
    expect(sink.requests).toHaveLength(here.length);
    for (const { body } of sink.requests) expect(body).toContain('pay.fjord.example');
    expect(rig.arrivals).toHaveLength(1);
  });

  it('an alert over HTTP is retried with the same id while the receiver is down, until it is delivered', async () => {
    const rig = await startRig(await open());
    const sink = await startSink();
    const id = await add(rig, webhookAt(sink));
    sink.answer = () => ({ status: 500 });
    await alarm(rig);
    await rig.runUntil(START + 3 * HOUR_MS);
    const tries = sink.requests.length;
    expect(tries).toBe(5);
    expect(await deliveries(rig, id)).toMatchObject([
      { state: 'waiting', detail: 'The receiver answered 500 Internal Server Error.' },
    ]);
    expect((await channel(rig, id))?.failingSince).toBe(START);
    sink.answer = () => ({});
    await rig.runUntil(START + 8 * HOUR_MS);
    expect(sink.requests).toHaveLength(tries + 1);
    expect(new Set(sink.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(await deliveries(rig, id)).toMatchObject([{ state: 'delivered' }]);
    expect(await channel(rig, id)).toMatchObject({ failingSince: null, disabledBy: null });
  });

  it('waits as long as the receiver’s Retry-After asks', async () => {
    const rig = await startRig(await open());
    const sink = await startSink();
    const id = await add(rig, webhookAt(sink));
    sink.answer = () => ({ status: 429, headers: { 'retry-after': '1800' } });
    await alarm(rig);
    await rig.runDue();
    expect(await deliveries(rig, id)).toMatchObject([{ next_attempt_at: START + 30 * MINUTE_MS }]);
  });

  it('is not sent any more after a 410, and the channel’s owner gets a mail', async () => {
    const rig = await startRig(await open());
    const sink = await startSink();
    const id = await add(rig, webhookAt(sink));
    sink.answer = () => ({ status: 410 });
    await alarm(rig);
    await rig.runDue();
    await rig.runDue();
    expect(await deliveries(rig, id)).toMatchObject([{ state: 'failed' }]);
    expect((await channel(rig, id))?.disabledBy).toBe('gone');
    expect(rig.arrivals).toHaveLength(2);
    await alarm(rig, 'shop.fjord.example');
    await rig.runDue();
    expect(sink.requests).toHaveLength(1);
  });

  it('fails after ten attempts that all get 503, and can be sent again', async () => {
    const rig = await startRig(await open());
    const sink = await startSink();
    const id = await add(rig, webhookAt(sink));
    const test = await sendTest(rig.store, { accountId: rig.accountId, channelKey: id, now: START });
    expect(test).toMatchObject({ id: expect.any(String) });
    sink.answer = () => ({ status: 503 });
    await rig.runUntil(START + 4 * DAY_MS);
    expect(sink.requests).toHaveLength(10);
    const [failed] = await deliveries(rig, id);
    expect(failed).toMatchObject({
      state: 'failed',
      detail: 'The receiver answered 503 Service Unavailable.',
    });
    expect((await channel(rig, id))?.disabledBy).toBeNull();

    sink.answer = () => ({});
    const again = { accountId: rig.accountId, deliveryId: failed?.id ?? '', now: rig.clock.now() };
    await replayDelivery(rig.store, again);
    await rig.runDue();
    expect(await deliveries(rig, id)).toMatchObject([{ state: 'delivered' }]);
    expect(new Set(sink.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    const last = sink.requests.at(-1);
    const key = new Webhook(WEBHOOK_SECRET);
    const signed = key.sign(again.deliveryId, new Date(rig.clock.now()), last?.body ?? '');
    expect(last?.headers).toMatchObject({ 'webhook-id': again.deliveryId, 'webhook-signature': signed });
    expect(types(sink)).toEqual(Array.from({ length: 11 }, () => 'test'));
  });

  it('is never sent to a forbidden address', async () => {
    const rig = await startRig(await open(), { allow: ['127.0.0.1/32', '::1/128'] });
    const sink = await startSink();
    const id = await add(rig, {
      kind: 'webhook',
      url: `http://127.0.0.2:${sink.port}/`,
      secrets: [{ secret: WEBHOOK_SECRET, until: null }],
    });
    await alarm(rig);
    await rig.runDue();
    expect(await deliveries(rig, id)).toMatchObject([
      { state: 'failed', detail: 'The address policy of this server blocks this address.' },
    ]);
  });
});

describeAnyDatabase('A failing channel', (open) => {
  it('is switched off after five days, and its owner gets a mail', async () => {
    const rig = await startRig(await open());
    const sink = await startSink();
    const id = await add(rig, webhookAt(sink));
    sink.answer = () => ({ status: 500 });
    for (let day = 0; day < 7; day++) {
      await sendTest(rig.store, { accountId: rig.accountId, channelKey: id, now: rig.clock.now() });
      await rig.runUntil(START + (day + 1) * DAY_MS);
    }
    expect((await channel(rig, id))?.disabledBy).toBe('failing');
    expect(rig.arrivals).toHaveLength(1);
    expect(rig.arrivals[0]?.at).toBeGreaterThanOrEqual(START + 5 * DAY_MS);
  });

  it('stays on if two failures are thirty days apart', async () => {
    const rig = await startRig(await open());
    const sink = await startSink();
    const id = await add(rig, webhookAt(sink));
    sink.answer = () => ({ status: 500 });
    await sendTest(rig.store, { accountId: rig.accountId, channelKey: id, now: START });
    await rig.runUntil(START + 30 * DAY_MS);
    await sendTest(rig.store, { accountId: rig.accountId, channelKey: id, now: rig.clock.now() });
    await rig.runDue();
    sink.answer = () => ({});
    await rig.runUntil(START + 31 * DAY_MS);
    expect((await deliveries(rig, id)).map(({ state }) => state)).toEqual(['failed', 'delivered']);
    expect(await channel(rig, id)).toMatchObject({ disabledBy: null, failingSince: null });
  });
});

describeAnyDatabase('A channel whose stored config cannot be decoded', (open) => {
  it.each([
    ['webhook', '{"kind":"webhook","url":'],
    ['slack', '{"kind":"slack","url":"nowhere"}'],
    ['email', '{"kind":"email"}'],
  ] as const)(
    'of kind %s fails its own delivery but no other delivery of the batch',
    async (kind, config) => {
      const rig = await startRig(await open());
      const sink = await startSink();
      const broken = await add(rig, { kind: 'ntfy', server: sink.url, topic: 'broken' });
      const working = await add(rig, webhookAt(sink));
      await rig.store.db.updateTable('channels').set({ kind, config }).where('id', '=', broken).execute();
      await alarm(rig);
      await rig.runDue();
      expect(await deliveries(rig, working)).toMatchObject([{ state: 'delivered' }]);
      expect(await deliveries(rig, broken)).toMatchObject([
        { state: 'failed', detail: 'The settings of this channel cannot be read. Enter them again.' },
      ]);
      expect(await channel(rig, broken)).toMatchObject({ failingSince: START, disabledBy: null });
      expect(sink.requests).toHaveLength(1);
      expect(rig.arrivals).toHaveLength(1);
    },
  );

  it('sends the alert to the account’s own address if no other channel was chosen', async () => {
    const rig = await startRig(await open());
    const sink = await startSink();
    const broken = await add(rig, webhookAt(sink));
    await changeAccountAlerts(
      rig.store,
      rig.accountId,
      { settings: { ...DEFAULT_ALERT_SETTINGS, channels: [broken] } },
      START,
    );
    await rig.store.db.updateTable('channels').set({ config: '{}' }).where('id', '=', broken).execute();
    await alarm(rig);
    await rig.runDue();
    await rig.runDue();
    expect(await deliveries(rig, broken)).toMatchObject([{ state: 'failed' }]);
    expect(sink.requests).toEqual([]);
    expect(rig.arrivals).toHaveLength(1);
  });
});
