import type { Kysely, Selectable, SelectQueryBuilder } from 'kysely';
import type { CertificateFacts, UptimeStanding, Verdict } from '../../core/index.ts';
import { parseFacts } from '../checks/certificates.ts';
import type { MonitorsTable, PausedBy, Tables } from '../schema/tables.ts';
import { currentVerdict } from '../checks/verdict-row.ts';
import { storedStrings } from '../db/stored-json.ts';
import type { Protocol } from '../../../contract/words.ts';

export interface Monitor extends UptimeStanding {
  id: string;
  accountId: string;
  /** A-label in lower case, or an IP address without brackets. */
  host: string;
  port: number;
  protocol: Protocol;
  checkEveryMinutes: number;
  createdAt: number;
  nextCheckAt: number;
  lastCheckedAt: number | null;
  checkRequestedAt: number | null;
  /** A check is running or was requested. */
  checking: boolean;
  /** Of the leaf last seen; lists sort by it. */
  notAfter: number | null;
  /** The leaf last seen, kept while the host cannot be reached. */
  certificate: CertificateFacts | null;
  /** Of the last check. */
  verdict: Verdict | null;
  unreachableSince: number | null;
  /** Time of the first check that determined whether it is up; null before. */
  uptimeSince: number | null;
  /** Response time of the last check that got an answer. */
  responseMs: number | null;
  /** One letter per check, as in the column `recent_checks`. */
  recentChecks: string;
  /** What paused it; null while it is not paused. */
  pausedBy: PausedBy | null;
  notes: string;
  tags: string[];
  /** Version of its site's icon; null if none is known. */
  faviconVersion: string | null;
}

export type MonitorRow = Selectable<MonitorsTable> & {
  facts: string | null;
  favicon_version: string | null;
  /** Added by `joinVerdict`. */
  verdict: string | null;
  moment: string | null;
};

/** Joins the last check's verdict, in the columns that `currentVerdict` reads, and the monitor's state as `states`. */
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

/** Selects monitors with their verdict, certificate facts and icon version. */
export function selectMonitors(db: Kysely<Tables>) {
  return db
    .selectFrom('monitors')
    .$call(joinVerdict)
    .leftJoin('certificates', 'certificates.fingerprint', 'monitors.certificate_fingerprint')
    .leftJoin('favicons', (join) =>
      join.onRef('favicons.host', '=', 'monitors.host').onRef('favicons.port', '=', 'monitors.port'),
    )
    .selectAll('monitors')
    .select(['certificates.facts', 'favicons.version as favicon_version']);
}

export function toMonitor(row: MonitorRow): Monitor {
  const facts = parseFacts(row.facts);
  return {
    id: row.id,
    accountId: row.account_id,
    host: row.host,
    port: row.port,
    protocol: row.protocol,
    checkEveryMinutes: row.check_every_minutes,
    createdAt: row.created_at,
    nextCheckAt: row.next_check_at,
    lastCheckedAt: row.last_checked_at,
    checkRequestedAt: row.check_requested_at,
    checking: row.lease_token !== null || row.check_requested_at !== null,
    notAfter: row.not_after,
    certificate: facts,
    verdict: currentVerdict(row),
    unreachableSince: row.unreachable_since,
    ...uptimeStanding(row),
    uptimeSince: row.uptime_since,
    responseMs: row.response_ms,
    recentChecks: row.recent_checks,
    pausedBy: row.paused_by,
    notes: row.notes,
    tags: storedStrings(row.tags),
    faviconVersion: row.favicon_version,
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
