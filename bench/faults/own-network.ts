import type { Lab } from './lab.ts';
import type { LedgerProcess } from './ledger-process.ts';
import { createLimits, type Outcome } from './outcome.ts';
import { siteHost } from './places.ts';
import { alertsAmong } from './reckoning.ts';
import { MINUTE_MS } from '../../contract/durations.ts';

const STEP_MS = 10_000;
const EVERY_MINUTES = 10;
const QUIET_BEFORE_MS = 12 * MINUTE_MS;
const CUT_MS = 10 * MINUTE_MS;
/** Nobody is unchecked for longer than twice its interval afterwards. */
const AFTER_MS = 2 * EVERY_MINUTES * MINUTE_MS;

/** The line between the product and the world. */
export interface Line {
  /** `dead`: whatever is sent fails at once; `deaf`: it is never answered. */
  cut(how: 'dead' | 'deaf'): Promise<void>;
  mend(): Promise<void>;
  /** Points names to where they answer, or to where nobody does. */
  lead(hosts: readonly string[], here: boolean): Promise<void>;
}

/** Cuts our own network for ten minutes of the product's clock; then some hosts go down in truth. */
export async function cutOwnNetwork(world: {
  lab: Lab;
  line: Line;
  mails: LedgerProcess;
  domains: number;
  /** How many of them go down in truth afterwards. */
  truly: number;
}): Promise<Outcome> {
  const { lab, line, mails, domains, truly } = world;
  const { store, clock } = lab;
  const limits = createLimits();
  const accountId = await lab.arrive('alice');
  const hosts = Array.from({ length: domains }, (_, index) => siteHost(index));
  await line.lead(hosts, true);
  for (const host of hosts) await lab.watch(accountId, host, EVERY_MINUTES);
  await lab.stepUntil(clock.now() + QUIET_BEFORE_MS, STEP_MS);
  const up = await countUp(lab);
  limits.hold(up === domains, `only ${up} of ${domains} were up before`);

  const cutAt = clock.now();
  // In the middle of looks: some have connected, some have not.
  clock.set(clock.now() + STEP_MS);
  const looking = lab.worker.runDue();
  await line.cut('dead');
  await looking;
  await lab.stepUntil(cutAt + CUT_MS / 2, STEP_MS);
  await line.cut('deaf');
  await lab.stepUntil(cutAt + CUT_MS, STEP_MS);
  const alarms = await store.db.selectFrom('alarms').select(['code', 'detail']).execute();
  limits.hold(
    alarms.some(({ code, detail }) => code === 'network_cut' && detail.includes('CANARY_HOSTS')),
    'no alarm stood for the operator',
  );
  await line.mend();
  const mendedAt = clock.now();
  await lab.stepUntil(mendedAt + AFTER_MS, STEP_MS);

  const falsely = await alertsOf(lab, mails);
  const incidents = await store.db
    .selectFrom('incidents')
    .select('id')
    .where('problem', '=', 'down')
    .execute();
  const unseen = await store.db
    .selectFrom('monitors')
    .select('host')
    .where((eb) => eb.or([eb('last_checked_at', 'is', null), eb('last_checked_at', '<', mendedAt)]))
    .execute();
  limits.hold(falsely.alerts === 0, `${falsely.alerts} alerts, ${falsely.mails} mails by a cut of our own`);
  limits.hold(incidents.length === 0, `${incidents.length} incidents by a cut of our own`);
  limits.hold(unseen.length === 0, `${unseen.length} were not looked at within twice their interval`);
  limits.hold((await countUp(lab)) === domains, 'not every domain is up afterwards');

  // A guard that never speaks up again would pass all of this.
  await line.lead(hosts.slice(0, truly), false);
  await lab.stepUntil(clock.now() + 2 * EVERY_MINUTES * MINUTE_MS, STEP_MS);
  const told = (await alertsOf(lab, mails)).mails;
  limits.hold(told === truly, `${told} of ${truly} hosts that went down in truth were told of`);
  return {
    line: `own network cut for 10 minutes, ${domains} domains: ${falsely.mails} false "down", ${incidents.length} incidents; ${domains - unseen.length} looked at within twice their interval; then ${told} of ${truly} true ones told`,
    broken: limits.broken,
  };
}

async function countUp({ store }: Lab): Promise<number> {
  return (await store.db.selectFrom('monitors').select('id').where('uptime', '=', 'up').execute()).length;
}

async function alertsOf({ store }: Lab, mails: LedgerProcess): Promise<{ alerts: number; mails: number }> {
  const alerts = await store.db.selectFrom('alerts').select('id').execute();
  return { alerts: alerts.length, mails: (await alertsAmong(store, mails.read())).length };
}
