import type { Store } from '../../server/store/db/open-store.ts';
import type { Database } from '../kit/databases/database.ts';
import { openLab } from './lab.ts';
import type { LedgerEntry } from './ledger-file.ts';
import { startLedger } from './ledger-process.ts';
import { createLimits, type Outcome } from './outcome.ts';
import { alertsAmong, rowId } from './reconciliation.ts';
import { siteHost, startFakeInternet } from './fake-internet.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../contract/durations.ts';

const START = Date.UTC(2027, 2, 1, 9, 30);
const AHEAD_MS = 400 * DAY_MS;

export interface ClockOptions {
  database: Database;
  /** Number of domains with certificates that are valid for months. */
  domains: number;
  /** Number of domains whose certificate expires in days, so that an alert is due. */
  due: number;
  seed: number;
}

/**
 * Sets the clock ahead by 400 days while alerts wait in the queue, and back to the right time three hours later. The
 * wrong clock must cause no alerts, and each due alert must arrive once after the correction.
 */
export async function setClockAhead({ database, domains, due, seed }: ClockOptions): Promise<Outcome> {
  const internet = await startFakeInternet({ now: START });
  const mails = await startLedger('mail', database.dataDir);
  const smtpUrl = `smtp://127.0.0.1:${mails.port}`;
  const lab = await openLab({ database, internet: internet.addresses, smtpUrl, start: START, seed });
  const limits = createLimits();
  try {
    const accountId = await lab.addAccount('alice');
    const hosts = Array.from({ length: domains }, (_, index) => siteHost(index));
    const ending = Array.from({ length: due }, (_, index) => `due${index}.faults.example`);
    for (const host of ending)
      internet.setCertificate(host, { notBefore: START - 80 * DAY_MS, notAfter: START + 2.5 * DAY_MS });
    internet.pointNames([...hosts, ...ending], true);
    await mails.order({ kind: 'down' });
    for (const host of [...hosts, ...ending]) await lab.watch(accountId, host, 60);
    await lab.runUntil(START + 5 * MINUTE_MS);
    await mails.order({ kind: 'up' });

    const before = lab.clock.now();
    lab.clock.jump(AHEAD_MS);
    for (let minute = 0; minute < 3 * 60; minute += 10) {
      internet.setClock(before + minute * MINUTE_MS);
      lab.clock.set(before + AHEAD_MS + minute * MINUTE_MS);
      await lab.worker.runDue();
    }
    const alarms = await lab.store.db.selectFrom('alarms').select('code').execute();
    const wrongAlerts = (await alertsAmong(lab.store, mails.read())).length;
    const otherMails = await othersAmong(lab.store, mails.read());
    limits.expect(wrongAlerts === 0, `${wrongAlerts} alerts were sent while the clock was wrong`);
    limits.expect(
      otherMails.length === 0,
      `other mails were sent while the clock was wrong: ${otherMails.join(', ')}`,
    );
    limits.expect(
      alarms.some(({ code }) => code === 'clock_wrong'),
      'no alarm was raised for the operator',
    );

    const right = before + 3 * HOUR_MS;
    internet.setClock(right);
    lab.clock.jump(-AHEAD_MS);
    lab.clock.set(right);
    await lab.worker.sweep();
    for (let minute = 0; minute <= 3 * 60; minute += 5) {
      internet.setClock(right + minute * MINUTE_MS);
      lab.clock.set(right + minute * MINUTE_MS);
      await lab.worker.runDue();
    }
    const sent = await alertsAmong(lab.store, mails.read());
    const alerted = ending.filter((host) => sent.some(({ text }) => text.startsWith(`${host}:`)));
    limits.expect(
      alerted.length === due,
      `${alerted.length} of ${due} due alerts arrived after the correction`,
    );
    limits.expect(sent.length === due, `${sent.length} alerts arrived although ${due} were due`);
    return {
      line: `clock + 400 days for 3 hours, ${domains + due} domains: ${wrongAlerts} alerts and ${otherMails.length} other mails sent, the alarm was raised; after the correction ${alerted.length} of ${due} due alerts sent`,
      broken: limits.broken,
    };
  } finally {
    await lab.close();
    await Promise.all([internet.stop(), mails.stop()]);
  }
}

/**
 * Returns the kinds of delivered mails except alerts and operator alarms. While the clock is wrong, only the operator
 * may get mail.
 */
async function othersAmong({ db }: Store, entries: readonly LedgerEntry[]): Promise<string[]> {
  const arrived = new Set(entries.map(({ id }) => rowId(id)));
  const rows = await db.selectFrom('mails').select(['message_id', 'kind']).execute();
  return rows
    .filter((row) => row.kind !== 'operator_alarm' && arrived.has(rowId(row.message_id)))
    .map(({ kind }) => kind);
}
