import type { Lab } from './lab.ts';
import type { LedgerProcess } from './ledger-process.ts';
import { createLimits, type Outcome } from './outcome.ts';
import { siteHost } from './fake-internet.ts';
import { alertsAmong, rowId } from './reconciliation.ts';
import { MINUTE_MS } from '../../contract/durations.ts';

const STEP_MS = 10_000;
const EVERY_MINUTES = 10;
const QUIET_BEFORE_MS = 12 * MINUTE_MS;
const CUT_MS = 10 * MINUTE_MS;
/** Maximum time from the end of the cut to the next check of a domain: twice the check interval, ms. */
const AFTER_MS = 2 * EVERY_MINUTES * MINUTE_MS;

/** Network link between the product and the monitored hosts. */
export interface Link {
  /** Cuts the link. With `fail`, sending fails at once; with `drop`, packets are lost silently. */
  cut(how: 'fail' | 'drop'): Promise<void>;
  restore(): Promise<void>;
  /** Points the DNS names to the hosts if `isUp`, otherwise to an address where nothing listens. */
  pointNames(hosts: readonly string[], isUp: boolean): Promise<void>;
}

/**
 * Cuts our own network for ten minutes of simulated time, which must cause no alerts. Then takes some hosts down, which
 * must cause one alert each.
 */
export async function cutOwnNetwork(world: {
  lab: Lab;
  link: Link;
  mails: LedgerProcess;
  domains: number;
  /** Number of hosts that really go down after the cut. */
  realOutages: number;
}): Promise<Outcome> {
  const { lab, link, mails, domains, realOutages } = world;
  const { store, clock } = lab;
  const limits = createLimits();
  const accountId = await lab.addAccount('alice');
  const hosts = Array.from({ length: domains }, (_, index) => siteHost(index));
  await link.pointNames(hosts, true);
  for (const host of hosts) await lab.watch(accountId, host, EVERY_MINUTES);
  await lab.stepUntil(clock.now() + QUIET_BEFORE_MS, STEP_MS);
  const up = await countUp(lab);
  limits.expect(up === domains, `only ${up} of ${domains} domains were up before the cut`);

  const cutAt = clock.now();
  // Cut the link in the middle of checks: some have connected, some have not.
  clock.set(clock.now() + STEP_MS);
  const running = lab.worker.runDue();
  await link.cut('fail');
  await running;
  await lab.stepUntil(cutAt + CUT_MS / 2, STEP_MS);
  await link.cut('drop');
  await lab.stepUntil(cutAt + CUT_MS, STEP_MS);
  const alarms = await store.db.selectFrom('alarms').select(['code', 'detail']).execute();
  limits.expect(
    alarms.some(({ code, detail }) => code === 'network_cut' && detail.includes('CANARY_HOSTS')),
    'no alarm was raised for the operator',
  );
  await link.restore();
  const restoredAt = clock.now();
  await lab.stepUntil(restoredAt + AFTER_MS, STEP_MS);

  const falseAlerts = await alertsOf(lab, mails);
  const incidents = await store.db
    .selectFrom('incident_members')
    .select('id')
    .where('problem', '=', 'down')
    .execute();
  const unchecked = await store.db
    .selectFrom('monitors')
    .select('host')
    .where((eb) => eb.or([eb('last_checked_at', 'is', null), eb('last_checked_at', '<', restoredAt)]))
    .execute();
  limits.expect(
    falseAlerts.alerts === 0,
    `${falseAlerts.alerts} alerts and ${falseAlerts.mails} mails were caused by the outage of our network`,
  );
  limits.expect(
    incidents.length === 0,
    `${incidents.length} incidents were caused by the outage of our network`,
  );
  limits.expect(unchecked.length === 0, `${unchecked.length} were not checked within twice their interval`);
  limits.expect((await countUp(lab)) === domains, 'not every domain is up afterwards');

  // A product that never sends an alert would pass everything above. So check that real outages do cause alerts.
  await link.pointNames(hosts.slice(0, realOutages), false);
  await lab.stepUntil(clock.now() + 2 * EVERY_MINUTES * MINUTE_MS, STEP_MS);
  const alerted = await countReported(lab, mails);
  limits.expect(alerted === realOutages, `${alerted} of ${realOutages} real outages were reported`);
  return {
    line: `own network cut for 10 minutes, ${domains} domains: ${falseAlerts.mails} false "down", ${incidents.length} incidents; ${domains - unchecked.length} checked within twice their interval; then ${alerted} of ${realOutages} real outages reported`,
    broken: limits.broken,
  };
}

async function countUp({ store }: Lab): Promise<number> {
  return (await store.db.selectFrom('monitors').select('id').where('uptime', '=', 'up').execute()).length;
}

/** Returns the number of deliveries whose mail arrived. One mail may be about several outages. */
async function countReported({ store }: Lab, mails: LedgerProcess): Promise<number> {
  const arrived = new Set((await alertsAmong(store, mails.read())).map(({ id }) => id));
  const delivered = await store.db
    .selectFrom('deliveries')
    .select('message_id')
    .where('state', '=', 'delivered')
    .execute();
  return delivered.filter(({ message_id }) => arrived.has(rowId(message_id))).length;
}

async function alertsOf({ store }: Lab, mails: LedgerProcess): Promise<{ alerts: number; mails: number }> {
  const alerts = await store.db.selectFrom('alerts').select('id').execute();
  return { alerts: alerts.length, mails: (await alertsAmong(store, mails.read())).length };
}
