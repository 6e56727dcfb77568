import { expect, it, vi } from 'vitest';
import { changeAccountAlerts, changeMonitorAlerts } from '../../server/store/alerts/alert-settings.ts';
import { DEFAULT_ALERT_SETTINGS } from '../../server/core/alerting/settings.ts';
import { replayDelivery } from '../../server/store/alerts/channel-sending.ts';
import { addMaintenance } from '../../server/store/alerts/maintenance.ts';
import { changeIncident, incidentsOf } from '../../server/store/alerts/monitor-incidents.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { selfSigned } from '../kit/certificates/mint.ts';
import { type Rig, START, startRig } from './rig.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../contract/durations.ts';
import type { Monitor } from '../../server/store/monitors/monitor-row.ts';

const HOST = 'pay.fjord.example';
const ending = (rig: Rig, days: number) =>
  rig.issue(HOST, { notBefore: START - (90 - days) * DAY_MS, notAfter: START + days * DAY_MS });
const subjects = ({ arrivals }: Rig) => arrivals.map(({ subject }) => subject);

describeAnyDatabase('The mails about an incident', (open) => {
  const begin = async () => startRig(await open());
  const theIncident = async (rig: Rig, { id, accountId }: Monitor) => {
    const [incident] = await incidentsOf(rig.store.db, { accountId, monitorId: id, since: 0 });
    if (!incident) throw new Error('There is no incident');
    return incident;
  };

  it('report a wrong certificate name after the second check, and report when it is fixed', async () => {
    const rig = await begin();
    await rig.watch(HOST, rig.issue('other.example'), { everyMinutes: 60 });
    await rig.runDue();
    expect(subjects(rig)).toEqual([]);
    await rig.runUntil(START + HOUR_MS);
    rig.serve(HOST, rig.issue(HOST));
    await rig.runUntil(START + 3 * HOUR_MS);
    expect(subjects(rig)).toEqual([
      `${HOST} serves a certificate for another name`,
      `${HOST} serves a certificate for its own name again`,
    ]);
  });

  it('are preceded by a log line when the incident begins and when it ends', async () => {
    const rig = await begin();
    await rig.watch(HOST, rig.issue('other.example'), { everyMinutes: 60 });
    await rig.runUntil(START + HOUR_MS);
    rig.serve(HOST, rig.issue(HOST));
    await rig.runUntil(START + 3 * HOUR_MS);
    const lines = vi.mocked(rig.log.info as (fields: { incidents?: object[] }) => void).mock.calls;
    expect(lines.flatMap(([{ incidents }]) => incidents ?? [])).toEqual([
      { kind: 'open', problem: 'wrong_name' },
      { kind: 'end' },
    ]);
  });

  it('report a broken chain, and report when it is fixed', async () => {
    const rig = await begin();
    const notAfter = START + 60 * DAY_MS;
    const own = selfSigned({ dnsNames: [HOST], notBefore: START - DAY_MS, notAfter });
    await rig.watch(HOST, own, { everyMinutes: 60 });
    await rig.runUntil(START + HOUR_MS);
    rig.serve(HOST, rig.issue(HOST));
    await rig.runUntil(START + 3 * HOUR_MS);
    expect(subjects(rig)).toEqual([
      `${HOST}’s certificate chain is broken`,
      `${HOST}’s certificate chain is fixed`,
    ]);
  });

  it('report an unexpected change of the certificate, but not a renewal that was due', async () => {
    const rig = await begin();
    await rig.watch(HOST, rig.issue(HOST));
    await rig.runUntil(START + 2 * DAY_MS);
    rig.serve(HOST, rig.issue(HOST));
    await rig.runUntil(START + 4 * DAY_MS);
    expect(subjects(rig)).toEqual([`${HOST}’s certificate changed unexpectedly`]);
    await rig.runUntil(START + 64 * DAY_MS);
    rig.serve(HOST, rig.issue(HOST));
    await rig.runUntil(START + 66 * DAY_MS);
    expect(subjects(rig)).toHaveLength(1);
  });

  it('report a renewal once if a warning was sent before', async () => {
    const rig = await begin();
    await rig.watch(HOST, ending(rig, 10), { everyMinutes: 60 });
    await rig.runUntil(START + HOUR_MS);
    rig.serve(HOST, rig.issue(HOST));
    await rig.runUntil(START + DAY_MS);
    expect(subjects(rig)).toEqual([`${HOST} expires in 10 days`, `${HOST}’s certificate was renewed`]);
  });

  it('report that a host is down and up, and summarise a host that keeps changing', async () => {
    const rig = await begin();
    await rig.watch(HOST, rig.issue(HOST), { everyMinutes: 10 });
    await rig.runDue();
    for (const turn of [0, 1, 2, 3]) {
      const from = START + (1 + turn) * HOUR_MS;
      await rig.runUntil(from);
      rig.reachable(HOST, false);
      await rig.runUntil(from + 20 * MINUTE_MS);
      rig.reachable(HOST, true);
      await rig.runUntil(from + 40 * MINUTE_MS);
    }
    await rig.runUntil(START + 8 * HOUR_MS);
    const [down, up] = [`${HOST} is down`, `${HOST} is up again`];
    expect(subjects(rig)).toEqual([down, up, down, up, `${HOST} is flapping: down 3 times in 6 hours`, up]);
  });

  it('stop after acknowledgement, until the certificate expires', async () => {
    const rig = await begin();
    const monitor = await rig.watch(HOST, ending(rig, 8), { everyMinutes: 360 });
    await rig.runDue();
    const incidentId = (await theIncident(rig, monitor)).id;
    const { accountId } = rig;
    await changeIncident(rig.store, { accountId, incidentId, change: { acknowledged: true }, now: START });
    await rig.runUntil(START + 9 * DAY_MS);
    expect(subjects(rig)).toEqual([`${HOST} expires in 8 days`, expect.stringContaining('expired on')]);
  });

  it('are still sent after the acknowledgement if a resend was requested before it', async () => {
    const rig = await begin();
    const monitor = await rig.watch(HOST, ending(rig, 8), { everyMinutes: 360 });
    await rig.runDue();
    const [delivery] = await rig.store.db.selectFrom('deliveries').select('id').execute();
    const { accountId } = rig;
    await replayDelivery(rig.store, { accountId, deliveryId: delivery?.id ?? '', now: START });
    const incidentId = (await theIncident(rig, monitor)).id;
    await changeIncident(rig.store, { accountId, incidentId, change: { acknowledged: true }, now: START });
    await rig.runDue();
    expect(subjects(rig)).toEqual([`${HOST} expires in 8 days`, `${HOST} expires in 8 days`]);
  });

  it('are delayed until the end of a snooze', async () => {
    const rig = await begin();
    const monitor = await rig.watch(HOST, ending(rig, 8));
    await rig.runDue();
    const { accountId } = rig;
    const snoozedUntil = START + 2 * DAY_MS + 5 * MINUTE_MS;
    const incidentId = (await theIncident(rig, monitor)).id;
    await changeIncident(rig.store, { accountId, incidentId, change: { snoozedUntil }, now: START });
    await rig.runUntil(START + 3 * DAY_MS);
    expect(rig.arrivals.slice(1)).toEqual([
      expect.objectContaining({ subject: `${HOST} expires in 6 days` }),
    ]);
    expect(rig.arrivals[1]?.at).toBeLessThan(snoozedUntil + 2 * MINUTE_MS);
  });

  it('are delayed until the end of maintenance, even across an alert step', async () => {
    const rig = await begin();
    const window = { startsAt: START, endsAt: START + 3 * DAY_MS, repeats: 'never' as const };
    const { accountId } = rig;
    await addMaintenance(rig.store, { accountId, monitorId: null, window, note: '', max: 5, now: START });
    await rig.watch(HOST, ending(rig, 8));
    await rig.runUntil(START + 4 * DAY_MS);
    expect(subjects(rig)).toEqual([`${HOST} expires in 5 days`]);
    expect(rig.arrivals[0]?.at).toBeLessThan(window.endsAt + 2 * MINUTE_MS);
  });

  it('are delayed by quiet hours, except critical ones', async () => {
    const rig = await begin();
    const quietHours = { fromMinute: 8 * 60, toMinute: 12 * 60, criticalAlways: true };
    const settings = { ...DEFAULT_ALERT_SETTINGS, quietHours };
    await changeAccountAlerts(rig.store, rig.accountId, { settings }, START);
    await rig.watch(HOST, ending(rig, 10));
    const urgent = 'git.fjord.example';
    await rig.watch(
      urgent,
      rig.issue(urgent, { notBefore: START - 88 * DAY_MS, notAfter: START + 2 * DAY_MS }),
    );
    await rig.runUntil(START + DAY_MS / 2);
    const noon = Date.UTC(2027, 2, 1, 12, 0);
    expect(rig.arrivals.map(({ at, subject }) => [at, subject])).toEqual([
      [START, `${urgent} expires in 2 days`],
      [noon, `${HOST} expires in 9 days`],
    ]);
  });

  it('are sent at the alert steps of the domain, or of the account if the domain has none', async () => {
    const rig = await begin();
    const settings = { ...DEFAULT_ALERT_SETTINGS, steps: ['5d' as const] };
    await changeAccountAlerts(rig.store, rig.accountId, { settings }, START);
    await rig.watch(HOST, ending(rig, 10));
    const other = 'git.fjord.example';
    const monitor = await rig.watch(
      other,
      rig.issue(other, { notBefore: START - 80 * DAY_MS, notAfter: START + 10 * DAY_MS }),
    );
    const key = { accountId: rig.accountId, monitorId: monitor.id };
    await changeMonitorAlerts(rig.store, key, { steps: ['9d', '2d'] }, START);
    await rig.runUntil(START + 9.5 * DAY_MS);
    expect(subjects(rig)).toEqual([
      `${other} expires in 9 days`,
      `${HOST} expires in 5 days`,
      `${other} expires in 2 days`,
    ]);
  });
});
