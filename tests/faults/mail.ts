import type { Database } from '../kit/databases/database.ts';
import { type Lab, openLab } from './lab.ts';
import { type LedgerProcess, startLedger } from './ledger-process.ts';
import { createLimits, type Outcome } from './outcome.ts';
import { type FakeInternet, startFakeInternet } from './fake-internet.ts';
import { alertsAmong, rowId } from './reconciliation.ts';
import { DAY_MS, HOUR_MS } from '../../contract/durations.ts';

const START = Date.UTC(2027, 2, 1, 9, 30);
/** Prefixes of local parts that select the mail server's behaviour; see `mail-ledger.ts`. */
const KINDS = ['plain', 'grey', 'unknown', 'spam', 'drop'] as const;
type Kind = (typeof KINDS)[number];

export interface MailOptions {
  database: Database;
  /** Number of accounts for each prefix in `KINDS`. */
  accounts: number;
  /** Number of alerts for each account in each phase of the scenario. */
  alerts: number;
  seed: number;
}

/**
 * Checks mail delivery against greylisting, rejections, lost replies, failing logins and a server that is down for
 * hours. Each due mail must be delivered or end as failed with a reason.
 */
export async function refuseMail(options: MailOptions): Promise<Outcome> {
  const { database, seed } = options;
  const internet = await startFakeInternet({ now: START });
  const mails = await startLedger('mail', database.dataDir);
  const smtpUrl = `smtp://operator:secret@127.0.0.1:${mails.port}`;
  const lab = await openLab({
    database,
    internet: internet.addresses,
    smtpUrl,
    start: START,
    seed,
    onClock: internet.setClock,
  });
  try {
    const setup = await createAccounts(lab, internet, options);
    await setup.alertAll(KINDS);
    await lab.runUntil(START + 2 * HOUR_MS);

    // Restart the server, because open connections stay logged in.
    await mails.order({ kind: 'down' });
    await mails.order({ kind: 'login', refused: true });
    await mails.order({ kind: 'up' });
    await setup.alertAll(['plain', 'drop']);
    await lab.runUntil(START + 5 * HOUR_MS);
    const alarms = await lab.store.db.selectFrom('alarms').select(['code', 'detail']).execute();
    await mails.order({ kind: 'login', refused: false });
    await lab.runUntil(START + 7 * HOUR_MS);

    await mails.order({ kind: 'down' });
    await setup.alertAll(['plain', 'grey']);
    await lab.runUntil(START + 13 * HOUR_MS);
    await mails.order({ kind: 'up' });
    await lab.runUntil(START + 15 * HOUR_MS);
    return await compare(lab, mails, {
      ...options,
      alarms: alarms.map(({ code, detail }) => `${code}: ${detail}`),
      hosts: setup.hosts,
    });
  } finally {
    await lab.close();
    await Promise.all([internet.stop(), mails.stop()]);
  }
}

async function createAccounts(lab: Lab, internet: FakeInternet, { accounts, alerts }: MailOptions) {
  const ids: { kind: Kind; id: string }[] = [];
  for (const kind of KINDS)
    for (let index = 0; index < accounts; index++)
      ids.push({ kind, id: await lab.addAccount(`${kind}-${index}`) });
  const hosts: { kind: Kind; host: string }[] = [];
  return {
    hosts,
    /** Causes `alerts` alerts for each account of these kinds. */
    async alertAll(kinds: readonly Kind[]): Promise<void> {
      for (const { kind, id } of ids) {
        if (!kinds.includes(kind)) continue;
        for (let index = 0; index < alerts; index++) {
          const host = `mail${hosts.length}.faults.example`;
          const now = lab.clock.now();
          internet.setCertificate(host, { notBefore: now - 80 * DAY_MS, notAfter: now + 2.5 * DAY_MS });
          internet.pointNames([host], true);
          await lab.watch(id, host);
          hosts.push({ kind, host });
        }
      }
    },
  };
}

async function compare(
  { store }: Lab,
  mails: LedgerProcess,
  world: MailOptions & { alarms: string[]; hosts: readonly { kind: Kind; host: string }[] },
): Promise<Outcome> {
  const { accounts, hosts, alarms } = world;
  const rows = await store.db
    .selectFrom('deliveries')
    .innerJoin('alerts', 'alerts.id', 'deliveries.alert_id')
    .innerJoin('monitors', 'monitors.id', 'alerts.monitor_id')
    .select(['message_id', 'state', 'detail', 'host'])
    .execute();
  const suppressed = await store.db.selectFrom('suppressions').select('address').execute();
  const entries = await alertsAmong(store, mails.read());
  const arrived = Map.groupBy(entries, ({ id }) => id);
  const inState = (state: string) => rows.filter((row) => row.state === state);
  const kindOf = new Map(hosts.map(({ kind, host }) => [host, kind]));
  const isRefused = (host: string) => ['unknown', 'spam'].includes(kindOf.get(host) ?? '');
  const dropped = rows.filter(({ host }) => kindOf.get(host) === 'drop').length;
  const duplicates = entries.length - arrived.size;

  const limits = createLimits();
  limits.expect(rows.length === hosts.length, `${hosts.length} alerts were due, ${rows.length} were planned`);
  for (const { message_id: messageId, state, detail, host } of rows) {
    const what = `${host} (${kindOf.get(host)}) is ${state}: ${detail}`;
    limits.expect(state === (isRefused(host) ? 'failed' : 'delivered'), what);
    limits.expect(
      (state === 'delivered') === arrived.has(rowId(messageId)),
      `${what}, but the ledger says otherwise`,
    );
    if (state === 'failed')
      limits.expect(/5\d\d|refused|not sent/i.test(detail ?? ''), `${what} has no reason`);
  }
  limits.expect(duplicates === dropped, `${duplicates} arrived twice although ${dropped} replies were lost`);
  limits.expect(
    suppressed.length === accounts && suppressed.every(({ address }) => address.startsWith('unknown-')),
    `only ${suppressed.map(({ address }) => address).join(', ')} of ${accounts} refused addresses are suppressed`,
  );
  const alarm = alarms.find((one) => one.startsWith('smtp_refuses_us') && one.includes('535'));
  limits.expect(alarm !== undefined, 'no alarm was raised while the login was refused');
  const states = ['delivered', 'failed', 'superseded', 'waiting'].map(
    (state) => `${inState(state).length} ${state}`,
  );
  return {
    line: `${hosts.length} mails due: ${states.join(', ')}; ${duplicates} twice under one id (${dropped} replies lost)`,
    broken: limits.broken,
  };
}
