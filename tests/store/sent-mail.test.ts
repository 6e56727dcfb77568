import { expect, it } from 'vitest';
import type { ChannelKind } from '../../server/core/alerting/route.ts';
import { addChannel, removeChannel } from '../../server/store/alerts/channel-changes.ts';
import { storableConfig, type StoredChannelConfig } from '../../server/channels/kinds/index.ts';
import { enqueueMail } from '../../server/store/mail/mails.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { listOutgoingMail, requeueMail } from '../../server/store/mail/sent-mail.ts';
import { isSuppressed, suppress } from '../../server/store/mail/suppressions.ts';
import { inTransaction } from '../../server/store/db/transaction.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { DAY, NOW, person, watch } from './samples.ts';

const OWN = 'alice@example.com';
const OPS = 'ops@fjord.example';
const SLACK = 'https://hooks.slack.com/services/x';

describeEachDatabase('the sent mail of an account', (open) => {
  it('includes only email deliveries, each with the address that it went to', async () => {
    const { store, account, ids } = await createFailedAlerts(await open());
    const listed = async () =>
      Object.fromEntries(
        (await listOutgoingMail(store, account, 10)).map(({ id, recipient }) => [id, recipient]),
      );
    expect(await listed()).toEqual({ [ids.own]: OWN, [ids.ops]: OPS });
    // The address of a removed channel is unknown, so the delivery is not listed as sent to the owner.
    await removeChannel(store, { accountId: account.id, channelId: ids.opsChannel, now: NOW });
    expect(await listed()).toEqual({ [ids.own]: OWN });
  });

  it('can be queued again, unlike deliveries on other channels', async () => {
    const { store, account, ids } = await createFailedAlerts(await open());
    const again = await requeueMail(store, account, { ids: null, now: NOW + DAY });
    expect(again.toSorted()).toEqual([ids.own, ids.ops].toSorted());
    const failed = await store.db
      .selectFrom('deliveries')
      .select('id')
      .where('state', '=', 'failed')
      .execute();
    expect(failed).toEqual([{ id: ids.slack }]);
    expect(await requeueMail(store, account, { ids: [ids.slack], now: NOW + DAY })).toEqual([]);
  });

  it('lifts the suppression of an address when a message to it is queued again', async () => {
    const { store, account, ids } = await createFailedAlerts(await open());
    const refusing = async () => {
      const each = [OWN, OPS].map(async (address) =>
        (await isSuppressed(store.db, address)) ? [address] : [],
      );
      return (await Promise.all(each)).flat();
    };
    const refuse = () =>
      inTransaction(store, async (trx) => {
        for (const address of [OWN, OPS])
          await suppress(trx, { address, reason: 'refused', detail: '550', now: NOW });
      });
    const sendOne = (id: string) => requeueMail(store, account, { ids: [id], now: NOW + DAY });

    await refuse();
    await sendOne(ids.slack);
    expect(await refusing()).toEqual([OWN, OPS]);
    await sendOne(ids.ops);
    expect(await refusing()).toEqual([OWN]);
    await sendOne(ids.own);
    expect(await refusing()).toEqual([]);

    await refuse();
    await inTransaction(store, (trx) =>
      enqueueMail(trx, {
        accountId: account.id,
        recipient: OPS,
        content: { kind: 'password_changed' },
        now: NOW,
      }),
    );
    const [mail] = await store.db
      .selectFrom('mails')
      .select('id')
      .where('kind', '=', 'password_changed')
      .execute();
    await sendOne(mail?.id ?? '');
    expect(await refusing()).toEqual([OWN]);
  });
});

/** Creates failed alerts of one account: to its own address, to an added one and to Slack. */
async function createFailedAlerts(store: Store) {
  const account = await person(store, 'alice');
  const monitor = await watch(store, account.id, 'www.example.org');
  await store.db.deleteFrom('mails').execute();
  const opsChannel = await add(store, account.id, { kind: 'email', address: OPS });
  const slackChannel = await add(store, account.id, { kind: 'slack', url: SLACK });
  const fail = (channel: ChannelKind, channelId: string | null) =>
    insertFailedDelivery(store, { accountId: account.id, monitorId: monitor.id, channel, channelId });
  const ids = {
    own: await fail('email', null),
    ops: await fail('email', opsChannel),
    slack: await fail('slack', slackChannel),
    opsChannel,
  };
  return { store, account, ids };
}

async function add(store: Store, accountId: string, config: StoredChannelConfig): Promise<string> {
  const added = await addChannel(store, {
    accountId,
    name: '',
    config: storableConfig(config),
    invitation: null,
    max: 9,
    mayAdd: () => true,
    now: NOW,
  });
  if (!added.ok) throw new Error(added.code);
  return added.channel.id;
}

async function insertFailedDelivery(
  store: Store,
  of: { accountId: string; monitorId: string; channel: ChannelKind; channelId: string | null },
): Promise<string> {
  const { accountId, monitorId, channel, channelId } = of;
  const id = crypto.randomUUID();
  await store.db
    .insertInto('alerts')
    .values({
      id,
      account_id: accountId,
      monitor_id: monitorId,
      incident_id: null,
      kind: 'expiry',
      step: 'critical',
      fingerprint: '',
      severity: 'critical',
      facts: '{}',
      created_at: NOW,
    })
    .execute();
  await store.db
    .insertInto('deliveries')
    .values({
      id,
      account_id: accountId,
      alert_id: id,
      incident_id: null,
      channel,
      state: 'failed',
      channel_key: channelId ?? 'email',
      channel_id: channelId,
      dedupe_key: id,
      message_id: id,
      attempts: 6,
      unanswered: 0,
      next_attempt_at: NOW,
      settled_at: NOW,
      created_at: NOW,
    })
    .execute();
  return id;
}
