import { shownForecastOfMonitor } from '../db/dialect.ts';
import { type Kysely, type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import type { StoredProblem } from '../../core/check/problems.ts';
import type { UptimeStanding } from '../../core/check/uptime.ts';
import { displayName } from '../../core/endpoint.ts';
import type { CertificateFacts } from '../../core/facts.ts';
import type { Forecast } from '../../core/forecast/forecast.ts';
import type { NextRenewal } from '../forecasts/renewal-outlooks.ts';
import { type CheckedEndpoint, identityOf, type Targeted } from '../../core/target.ts';
import type { Verdict } from '../../core/verdict.ts';
import { parseFacts } from '../checks/certificates.ts';
import type { MonitorsTable, PausedBy, Tables } from '../schema/tables.ts';
import { currentVerdict } from '../checks/verdict-row.ts';
import { storedStrings } from '../db/stored-json.ts';

export interface Monitor extends UptimeStanding, CheckedEndpoint {
  id: string;
  accountId: string;
  checkEveryMinutes: number;
  createdAt: number;
  nextCheckAt: number;
  lastCheckedAt: number | null;
  checkRequestedAt: number | null;
  /** True if a check is running or was requested. */
  checking: boolean;
  /** End of validity of the leaf last seen, ms UTC; null if no leaf was seen. Lists sort by it. */
  notAfter: number | null;
  /** The leaf last seen, kept while the host cannot be reached; null if no leaf was seen. */
  certificate: CertificateFacts | null;
  /** Verdict of the last check; null before the first check, and if the stored verdict is damaged. */
  verdict: Verdict | null;
  /** The worst problem that the last check found, besides a near expiry. */
  problem: StoredProblem | null;
  /** Until when the renewal of a short-lived certificate is on schedule, ms UTC; null for other certificates. */
  onScheduleUntil: number | null;
  unreachableSince: number | null;
  /** Time of the first conclusive check since the monitor was added or resumed, ms UTC; null before that check. */
  uptimeSince: number | null;
  /** Response time of the last check that got an answer, in ms; null if none did. */
  responseMs: number | null;
  /** The last 90 checks, oldest first, one letter each, as in the column `recent_checks`. */
  recentChecks: string;
  /** Reason of the pause; null if the monitor is not paused. */
  pausedBy: PausedBy | null;
  notes: string;
  tags: string[];
  /**
   * Version of the site's icon; null if the site has none, or none was fetched since the monitor first read a certificate there.
   */
  faviconVersion: string | null;
  /** Whether the next renewal of the certificate will work, or that another leaf's will fail; null if there is no forecast. */
  nextRenewal: NextRenewal | null;
}

export type MonitorRow = Selectable<MonitorsTable> & {
  facts: string | null;
  favicon_version: string | null;
  renewal_outcome: Forecast['outcome'] | null;
  renewal_line: string | null;
  renewal_at: number | null;
  /** JSON of the last check's verdict; null before the first check. `joinVerdict` adds the columns `verdict` and `moment`. */
  verdict: string | null;
  moment: string | null;
};

/** The values of a row of a monitor that was not checked yet, besides those of its table. */
export const NOT_CHECKED = {
  facts: null,
  favicon_version: null,
  renewal_outcome: null,
  renewal_line: null,
  renewal_at: null,
  verdict: null,
  moment: null,
};

/** Joins the verdict of the last check, in the columns that `currentVerdict` reads, and `monitor_states` as `states`. */
export function joinVerdict<O>(monitors: SelectQueryBuilder<Tables, 'monitors', O>) {
  return monitors
    .leftJoin('monitor_states as states', (join) =>
      join
        .onRef('states.account_id', '=', 'monitors.account_id')
        .onRef('states.monitor_id', '=', 'monitors.id'),
    )
    .leftJoin('verdicts', (join) =>
      join
        .onRef('verdicts.account_id', '=', 'states.account_id')
        .onRef('verdicts.monitor_id', '=', 'states.monitor_id')
        .onRef('verdicts.id', '=', 'states.verdict_id'),
    )
    .select(['verdicts.verdict', 'states.moment']);
}

/** Selects monitors with their verdict, certificate facts, icon version and forecast. */
export function selectMonitors(db: Kysely<Tables>) {
  return db
    .selectFrom('monitors')
    .$call(joinVerdict)
    .leftJoin('certificates', 'certificates.fingerprint', 'monitors.certificate_fingerprint')
    .leftJoin('favicons', (join) =>
      join
        .onRef('favicons.host', '=', 'monitors.host')
        .onRef('favicons.port', '=', 'monitors.port')
        .on('monitors.icon_fetched', '=', 1),
    )
    .leftJoin('forecasts', shownForecastOfMonitor)
    .selectAll('monitors')
    .select(['certificates.facts', 'favicons.version as favicon_version'])
    .select(['forecasts.outcome as renewal_outcome', 'forecasts.line as renewal_line'])
    .select('forecasts.expected_at as renewal_at');
}

export function toMonitor(row: MonitorRow): Monitor {
  const facts = parseFacts(row.facts);
  const { renewal_outcome: outcome, renewal_at: expectedAt } = row;
  return {
    id: row.id,
    accountId: row.account_id,
    ...identityOf(row),
    checkEveryMinutes: row.check_every_minutes,
    createdAt: row.created_at,
    nextCheckAt: row.next_check_at,
    lastCheckedAt: row.last_checked_at,
    checkRequestedAt: row.check_requested_at,
    checking: row.lease_token !== null || row.check_requested_at !== null,
    notAfter: row.not_after,
    certificate: facts,
    verdict: currentVerdict(row),
    problem: row.problem,
    onScheduleUntil: row.on_schedule_until,
    unreachableSince: row.unreachable_since,
    ...uptimeStanding(row),
    uptimeSince: row.uptime_since,
    responseMs: row.response_ms,
    recentChecks: row.recent_checks,
    pausedBy: row.paused_by,
    notes: row.notes,
    tags: storedStrings(row.tags),
    faviconVersion: row.favicon_version,
    nextRenewal:
      outcome === null || expectedAt === null ? null : { outcome, line: row.renewal_line, expectedAt },
  };
}

export function uptimeStanding(
  row: Pick<MonitorRow, 'uptime' | 'suspected_since' | 'down_since' | 'down_seen_at'>,
): UptimeStanding {
  return {
    uptime: row.uptime,
    suspectedSince: row.suspected_since,
    downSince: row.down_since,
    downSeenAt: row.down_seen_at,
  };
}

interface Described extends Targeted {
  notes: string;
  tags: readonly string[];
}

/** Adds the targets to monitors. Most accounts have no targets, which an index shows quickly. */
export async function withTargets<M extends Targeted & { id: string }>(
  db: Kysely<Tables>,
  accountId: string,
  monitors: readonly M[],
): Promise<M[]> {
  const rows = await db
    .selectFrom('monitors')
    .select(['id', 'target'])
    .where('account_id', '=', accountId)
    .where('target', '!=', sql.lit(''))
    .execute();
  const targets = new Map(rows.map(({ id, target }) => [id, target]));
  return monitors.map((monitor) => {
    const target = targets.get(monitor.id);
    return target === undefined ? monitor : { ...monitor, target };
  });
}

/** Returns the text that searches match, in lower case: the name as stored and as shown, the tags and the notes. */
export function searchText({ host, port, target, notes, tags }: Described): string {
  const name = `${host}:${port}`;
  const shown = displayName({ host, port, target });
  return [name, ...(name.startsWith(shown) ? [] : [shown]), ...tags, notes].join('\n').toLowerCase();
}
