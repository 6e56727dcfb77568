import { type Kysely, sql } from 'kysely';
import type { Uptime } from '../../../core/index.ts';
import { addCheckToHour, type OpenHour, packHour, withHour } from '../../checks/day-figures.ts';
import { evidenceId, readObservation, shortDigest } from '../../checks/evidence.ts';
import { packSamples, type Sample } from '../../checks/samples.ts';
import type { Tables } from '../tables.ts';
import { storedJson } from '../../db/stored-json.ts';
import { z } from 'zod';

type Db = Kysely<Tables>;

interface FormerMonitor {
  id: string;
  account_id: string;
  verdict: string | null;
  verdict_id: string | null;
}

interface FormerCheck {
  id: string;
  finished_at: number;
  reached: number;
  observation: string;
  verdict_id: string | null;
  uptime: Uptime | null;
  response_ms: number | null;
  down_message: string | null;
}

const AT_ONCE = 500;

/** Turns every check into what is kept of it now, one monitor after the other. */
export async function carryChecks(anyDb: Kysely<unknown>): Promise<void> {
  const db = anyDb as Db;
  for (let after = ''; ;) {
    const { rows } = await sql<FormerMonitor>`select id, account_id, verdict, verdict_id from former_monitors
      where id > ${after} order by id limit ${sql.lit(AT_ONCE)}`.execute(db);
    for (const monitor of rows) await carryMonitor(db, monitor);
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
  }
}

async function carryMonitor(db: Db, monitor: FormerMonitor): Promise<void> {
  const ofMonitor = { account_id: monitor.account_id, monitor_id: monitor.id };
  const verdictIds = await carryVerdicts(db, monitor);
  const carried = new Carried();
  for await (const check of checksOf(db, monitor.id)) carried.add(check, verdictIds);

  for (const [id, { firstSeenAt, observation }] of carried.evidence)
    await db
      .insertInto('evidence')
      .values({ ...ofMonitor, id, first_seen_at: firstSeenAt, observation })
      .execute();
  const { runs, days, last } = carried;
  for (let from = 0; from < runs.length; from += AT_ONCE)
    await db
      .insertInto('check_runs')
      .values(runs.slice(from, from + AT_ONCE).map((run) => ({ ...ofMonitor, ...run })))
      .execute();
  if (days.size > 0)
    await db
      .insertInto('monitor_days')
      .values([...days.values()].map((day) => ({ ...ofMonitor, ...day })))
      .execute();
  const open = runs.at(-1);
  if (!open && monitor.verdict === null) return;
  await db
    .insertInto('monitor_states')
    .values({
      ...ofMonitor,
      verdict_id: verdictIds.get(monitor.verdict_id ?? '') ?? null,
      // The verdict's row has that of the last check, with its instants.
      moment: null,
      evidence_id: last?.evidenceId ?? null,
      // What was seen last is written down in the history; the next check begins anew from there.
      shown_id: null,
      shown_at: null,
      run_number: open?.number ?? 0,
      run_last_at: last?.at ?? 0,
      run_checks: open?.checks ?? 0,
      samples: packSamples(carried.samples),
      hour_at: carried.hour?.at ?? null,
      hour: carried.hour && packHour(carried.hour),
    })
    .execute();
}

/** One row for those that say the same, with the last of them; the ids it has now, by those it had. */
async function carryVerdicts(db: Db, monitor: FormerMonitor): Promise<Map<string, string>> {
  const { rows } = await sql<{
    id: string;
    judged_at: number;
    leaf_fingerprint: string | null;
    digest: string;
    verdict: string;
  }>`select id, judged_at, leaf_fingerprint, digest, verdict from former_verdicts
    where monitor_id = ${monitor.id} order by judged_at`.execute(db);
  const ids = new Map(rows.map(({ id, digest }) => [id, digest.slice(0, 32)]));
  const ofMonitor = { account_id: monitor.account_id, monitor_id: monitor.id };
  const distinct = Map.groupBy(rows, ({ digest }) => digest.slice(0, 32));
  for (const [id, same] of distinct) {
    const last = same.at(-1);
    const isCurrent = same.some((row) => row.id === monitor.verdict_id);
    await db
      .insertInto('verdicts')
      .values({
        ...ofMonitor,
        id,
        judged_at: same[0]?.judged_at ?? 0,
        leaf_fingerprint: last?.leaf_fingerprint ?? null,
        verdict: (isCurrent ? monitor.verdict : null) ?? last?.verdict ?? '',
      })
      .execute();
  }
  if (monitor.verdict === null || ids.has(monitor.verdict_id ?? '')) return ids;
  // A verdict whose row nobody knows.
  const { judgedAt, leafFingerprint } = readVerdict(monitor.verdict);
  const id = shortDigest(monitor.verdict);
  await db
    .insertInto('verdicts')
    .values({
      ...ofMonitor,
      id,
      judged_at: judgedAt ?? 0,
      leaf_fingerprint: leafFingerprint ?? null,
      verdict: monitor.verdict,
    })
    .execute();
  return ids.set(monitor.verdict_id ?? '', id);
}

const readVerdict = storedJson(
  'a verdict',
  z.object({ judgedAt: z.number().optional(), leafFingerprint: z.string().nullable().optional() }),
);

async function* checksOf(db: Db, monitorId: string): AsyncGenerator<FormerCheck> {
  for (let after = { at: -1, id: '' }; ;) {
    const { rows } = await sql<FormerCheck>`select id, finished_at, reached, observation, verdict_id, uptime,
        response_ms, down_message
      from former_checks where monitor_id = ${monitorId} and (finished_at, id) > (${after.at}, ${after.id})
      order by finished_at, id limit ${sql.lit(AT_ONCE)}`.execute(db);
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < AT_ONCE) return;
    after = { at: last.finished_at, id: last.id };
  }
}

/** What became of a monitor's checks, added one after the other. */
class Carried {
  readonly evidence = new Map<string, { firstSeenAt: number; observation: string }>();
  readonly runs: Omit<Tables['check_runs'], 'account_id' | 'monitor_id'>[] = [];
  readonly days = new Map<number, ReturnType<typeof withHour>>();
  readonly samples: Sample[] = [];
  hour: OpenHour | null = null;
  last: { at: number; evidenceId: string } | null = null;

  add(check: FormerCheck, verdictIds: ReadonlyMap<string, string>): void {
    const at = check.finished_at;
    const id = evidenceId(readObservation(check.observation));
    const known = this.evidence.get(id);
    this.evidence.set(id, { firstSeenAt: known?.firstSeenAt ?? at, observation: check.observation });
    const said = {
      reached: check.reached,
      uptime: check.uptime,
      down_message: check.down_message,
      verdict_id: verdictIds.get(check.verdict_id ?? '') ?? '',
      evidence_id: id,
    };
    const open = this.runs.at(-1);
    if (open && isSame(open, said)) open.checks += 1;
    else {
      if (open) open.last_at = this.last?.at ?? open.first_at;
      this.runs.push({ number: (open?.number ?? 0) + 1, first_at: at, last_at: null, checks: 1, ...said });
    }
    this.last = { at, evidenceId: id };
    if (check.uptime !== null) this.count(at, check.uptime, check);
  }

  private count(at: number, state: Uptime, { response_ms: responseMs, down_message: message }: FormerCheck) {
    this.samples.push({ at, state, responseMs, message });
    if (this.samples.length > AT_ONCE) this.samples.splice(0, AT_ONCE / 2);
    const { open, finished } = addCheckToHour(this.hour, { at, state, responseMs });
    this.hour = open;
    if (finished === null) return;
    const dayAt = Math.floor(finished.at / DAY_MS) * DAY_MS;
    this.days.set(dayAt, withHour(this.days.get(dayAt), finished));
  }
}

const DAY_MS = 86_400_000;

type SaidRow = Pick<
  Tables['check_runs'],
  'reached' | 'uptime' | 'down_message' | 'verdict_id' | 'evidence_id'
>;

const isSame = (one: SaidRow, other: SaidRow): boolean =>
  (['reached', 'uptime', 'down_message', 'verdict_id', 'evidence_id'] as const).every(
    (column) => one[column] === other[column],
  );
