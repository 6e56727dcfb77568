import type { Selectable, Transaction } from 'kysely';
import type { UptimeAssessment } from '../../core/check/uptime.ts';
import { type CheckResult, type OpenRun, startRun } from '../checks/check-runs.ts';
import { addCheckToHour, packHour, parseHour, saveHour } from '../checks/day-figures.ts';
import type { MonitorKey, Tables } from '../schema/tables.ts';
import { packSamples, parseSamples, type Sample } from '../checks/samples.ts';
import type { MonitorStatesTable } from '../schema/check-tables.ts';
import type { StoredEvidence } from '../checks/check-evidence.ts';

type Columns = Omit<Selectable<MonitorStatesTable>, 'account_id' | 'monitor_id'>;

type ReadBefore = Omit<Columns, 'moment' | 'unkept_at' | 'unkept_limit'>;
/** Columns of `monitor_states` before a check; all are null before the first check. */
export type StateBefore = { [Column in keyof ReadBefore]: Columns[Column] | null };

/**
 * Writes the monitor's row of `monitor_states` and adds the check to its run, hour and recent samples, in the check's transaction.
 * The caller must have locked the monitor's row.
 */
export async function recordState(
  trx: Transaction<Tables>,
  key: MonitorKey,
  check: {
    before: StateBefore;
    verdict: { id: string; moment: string; reached: boolean };
    evidence: { id: string; showsCertificates: boolean };
    /**
     * If `isKept` is false, the evidence was not stored. Then the check continues the open run if uptime, message and whether it
     * reached the endpoint equal those of the previous check.
     */
    stored: Pick<StoredEvidence, 'reachedLimit' | 'isKept'>;
    /** True if the previous check reached the endpoint; null before the first check. */
    wasReached: boolean | null;
    assessment: UptimeAssessment;
    now: number;
  },
): Promise<void> {
  const { before, verdict, assessment, stored, wasReached, now } = check;
  const { isKept } = stored;
  const evidence = isKept
    ? check.evidence
    : { id: before.evidence_id ?? check.evidence.id, showsCertificates: false };
  const { state, responseMs, cause } = assessment;
  const samples = parseSamples(before.samples);
  const result: CheckResult = {
    reached: verdict.reached,
    verdictId: verdict.id,
    evidenceId: evidence.id,
    uptime: state,
    downMessage: cause?.message ?? null,
  };
  const open = openRun(before);
  const run =
    open && continuesRun(result, before, samples.at(-1), isKept ? null : wasReached)
      ? { ...open, run_last_at: now, run_checks: open.run_checks + 1 }
      : await startRun(trx, key, { open, result, now });
  const { open: hour, finished } = addCheckToHour(parseHour(before), { at: now, state, responseMs });
  if (finished) await saveHour(trx, key, finished);
  samples.push({ at: now, state, responseMs, message: result.downMessage });
  const next: Omit<Columns, 'unkept_at' | 'unkept_limit'> & Partial<Columns> = {
    verdict_id: verdict.id,
    moment: verdict.moment,
    evidence_id: evidence.id,
    shown_id: evidence.showsCertificates ? evidence.id : before.shown_id,
    shown_at: evidence.showsCertificates ? now : before.shown_at,
    ...run,
    samples: packSamples(samples),
    hour_at: hour.at,
    hour: packHour(hour),
    ...(stored.reachedLimit !== null && { unkept_at: now, unkept_limit: stored.reachedLimit }),
  };
  const { accountId, monitorId } = key;
  if (before.run_number === null)
    await trx
      .insertInto('monitor_states')
      .values({ account_id: accountId, monitor_id: monitorId, ...next })
      .execute();
  else
    await trx
      .updateTable('monitor_states')
      .set(next)
      .where('account_id', '=', accountId)
      .where('monitor_id', '=', monitorId)
      .execute();
}

function openRun({ run_number, run_last_at, run_checks }: StateBefore): OpenRun | null {
  const isOpen = run_number !== null && run_number > 0 && run_last_at !== null && run_checks !== null;
  return isOpen ? { run_number, run_last_at, run_checks } : null;
}

/**
 * Returns whether a check continues the open run: uptime and message must equal those of the last sample. If `wasReached` is
 * null, verdict and evidence must also equal those of the previous check; else `reached` must equal `wasReached`.
 */
function continuesRun(
  result: CheckResult,
  before: StateBefore,
  last: Sample | undefined,
  wasReached: boolean | null,
): boolean {
  const hasSameFindings =
    wasReached === null
      ? result.verdictId === before.verdict_id && result.evidenceId === before.evidence_id
      : result.reached === wasReached;
  return hasSameFindings && result.uptime === last?.state && result.downMessage === last.message;
}
