import type { Database } from '../kit/databases/database.ts';
import { type Lab, openLab } from './lab.ts';
import type { LedgerEntry } from './ledger-file.ts';
import { type LedgerProcess, startLedger } from './ledger-process.ts';
import { createLimits, type Outcome } from './outcome.ts';
import { type FakeInternet, startFakeInternet } from './fake-internet.ts';
import { rowId } from './reconciliation.ts';
import { DAY_MS, HOUR_MS } from '../../contract/durations.ts';

const START = Date.UTC(2027, 2, 1, 9, 30);
/** Paths that select the receiver's behaviour; see `webhook-ledger.ts`. */
const KINDS = ['ok', 'drop', 'error', 'gone', 'redirect', 'silent'] as const;
type Kind = (typeof KINDS)[number];
/** Expected `disabled_by` of the channels whose receivers never accept a message. */
const SWITCHED_OFF_BY: Partial<Record<Kind, 'gone' | 'failing'>> = {
  gone: 'gone',
  redirect: 'failing',
  silent: 'failing',
};

export interface WebhookOptions {
  database: Database;
  /** Number of alerts that are due for each receiver at the start. */
  alerts: number;
  seed: number;
}

/**
 * Checks webhook delivery to receivers that fail for hours or forever, are gone, redirect, never answer or lose
 * answers.
 */
export async function refuseWebhooks({ database, alerts, seed }: WebhookOptions): Promise<Outcome> {
  const internet = await startFakeInternet({ now: START });
  const [mails, webhooks] = await Promise.all([
    startLedger('mail', database.dataDir),
    startLedger('webhook', database.dataDir),
  ]);
  const lab = await openLab({
    database,
    internet: internet.addresses,
    smtpUrl: `smtp://127.0.0.1:${mails.port}`,
    start: START,
    seed,
    onClock: internet.setClock,
    // Long, because a busy machine stalls a process for seconds. Only the silent receiver uses up this time, and it delays
    // the run each time.
    timeoutMs: 60_000,
    webhookTimeoutMs: 500,
  });
  try {
    const channels = new Map<string, Kind>();
    for (const kind of KINDS) {
      const accountId = await lab.addAccount(kind);
      channels.set(await lab.addWebhook(accountId, `http://127.0.0.1:${webhooks.port}/${kind}`), kind);
      for (let index = 0; index < alerts; index++)
        await watchExpiring(lab, internet, { accountId, host: `${kind}${index}.faults.example` });
    }
    await lab.runUntil(START + 5 * HOUR_MS);
    const early = webhooks.read().filter(({ to }) => to === '/error').length;
    await webhooks.order({ kind: 'well', isWell: true });
    // Later alert steps of the same certificates fail too, until failing channels are switched off after five days.
    await lab.runUntil(START + 6 * DAY_MS);
    return await compare(lab, { channels, mails, webhooks, early });
  } finally {
    await lab.close();
    await Promise.all([internet.stop(), mails.stop(), webhooks.stop()]);
  }
}

async function watchExpiring(
  lab: Lab,
  internet: FakeInternet,
  { accountId, host }: { accountId: string; host: string },
): Promise<void> {
  internet.setCertificate(host, { notBefore: START - 80 * DAY_MS, notAfter: START + 2.5 * DAY_MS });
  internet.pointNames([host], true);
  await lab.watch(accountId, host);
}

async function compare(
  { store }: Lab,
  world: { channels: Map<string, Kind>; mails: LedgerProcess; webhooks: LedgerProcess; early: number },
): Promise<Outcome> {
  const { channels, mails, webhooks, early } = world;
  const limits = createLimits();
  const rows = await store.db
    .selectFrom('deliveries')
    .select(['message_id', 'state', 'detail', 'attempts', 'channel_id'])
    .where('channel_id', 'is not', null)
    .execute();
  const arrived = Map.groupBy(webhooks.read(), ({ id }) => id);
  for (const { message_id: messageId, state, detail, channel_id: channelId } of rows) {
    const kind = channels.get(channelId ?? '');
    const copies = arrived.get(rowId(messageId)) ?? [];
    const what = `${kind}: a delivery is ${state} (${detail}) and arrived ${copies.length} times`;
    limits.expect(state !== 'waiting' || kind === undefined, what);
    limits.expect((state === 'delivered') === copies.length > 0, what);
    limits.expect(
      !(detail ?? '').includes('secret'),
      `${kind}: the body of the receiver's answer is shown: ${detail}`,
    );
    if (state === 'failed') limits.expect((detail ?? '') !== '', `${what}, and has no reason`);
  }
  await checkSwitchedOff(store, { channels, mails, limits });
  const accepted = (kind: Kind): LedgerEntry[] => webhooks.read().filter(({ to }) => to === `/${kind}`);
  for (const kind of ['ok', 'drop', 'error'] as const)
    limits.expect(accepted(kind).length > 0, `nothing arrived at /${kind}`);
  limits.expect(early === 0, `${early} arrived while the receiver answered 500`);
  limits.expect(webhooks.asked('/ok/redirected') === 0, 'a redirect was followed');
  const gone = rows.filter(({ channel_id: id }) => channels.get(id ?? '') === 'gone');
  limits.expect(
    webhooks.asked('/gone') <= gone.length,
    `the receiver that is gone got ${webhooks.asked('/gone')} times`,
  );
  const states = ['delivered', 'failed', 'superseded', 'waiting'].map(
    (state) => `${rows.filter((row) => row.state === state).length} ${state}`,
  );
  const duplicates = webhooks.read().length - arrived.size;
  return {
    line: `${rows.length} messages to ${channels.size} receivers: ${states.join(', ')}; ${duplicates} twice under one id; 3 receivers that never accept a message were switched off and their owners notified`,
    broken: limits.broken,
  };
}

async function checkSwitchedOff(
  store: Lab['store'],
  world: {
    channels: Map<string, Kind>;
    mails: LedgerProcess;
    limits: ReturnType<typeof createLimits>;
  },
): Promise<void> {
  const { channels, mails, limits } = world;
  const rows = await store.db.selectFrom('channels').select(['id', 'disabled_by']).execute();
  const notices = await store.db
    .selectFrom('mails')
    .select(['recipient', 'message_id'])
    .where('kind', '=', 'channel_disabled')
    .execute();
  for (const { id, disabled_by: by } of rows) {
    const kind = channels.get(id);
    if (kind === undefined) continue;
    const expected = SWITCHED_OFF_BY[kind] ?? null;
    limits.expect(by === expected, `${kind}: switched off as ${by}, not ${expected}`);
    const sentNotices = notices.filter(({ recipient }) => recipient.startsWith(`${kind}@`));
    limits.expect(
      sentNotices.length === (expected === null ? 0 : 1),
      `${kind}: its owner got ${sentNotices.length} notices`,
    );
    for (const { message_id: messageId } of sentNotices)
      limits.expect(
        mails.read().some((entry) => rowId(entry.id) === rowId(messageId)),
        `${kind}: the notice to its owner did not arrive`,
      );
  }
}
