import { sql } from 'kysely';
import type { Digest } from '../../core/account-mail.ts';
import {
  composeDigest,
  DIGEST_AHEAD_MS,
  DIGEST_PERIOD_MS,
  type DigestDomain,
  type DigestIncident,
} from '../../core/digest.ts';
import { nameOf, type Targeted } from '../../core/target.ts';
import { joinVerdict } from '../monitors/monitor-row.ts';
import type { Store } from '../db/open-store.ts';
import { currentVerdict } from '../checks/verdict-row.ts';
import { forecastOfMonitor, monitorOf } from '../db/dialect.ts';

type Request = { accountId: string; now: number };

/** Builds the digest of the seven days before `now` (ms UTC). Omits paused domains. */
export async function digestContent(store: Store, request: Request): Promise<Digest> {
  const from = request.now - DIGEST_PERIOD_MS;
  const domains = await readMonitors(store, request);
  const failing = await readFailing(store, request);
  const renewed = await readRenewed(store, request, from);
  const incidents = await readIncidents(store, request, from);
  return composeDigest({ domains, failing, renewed, incidents }, request.now);
}

/** Returns the account's active domains, soonest expiry first. Domains without a certificate come last. */
async function readMonitors(store: Store, { accountId, now }: Request): Promise<(Targeted & DigestDomain)[]> {
  const activeMonitors = store.db
    .selectFrom('monitors')
    .where('monitors.account_id', '=', accountId)
    .where('monitors.active', '=', 1);
  const rows = await activeMonitors
    .select(['id', 'host', 'port', 'target', 'not_after', 'revoked', 'uptime', 'problem'])
    .orderBy('host')
    .orderBy('port')
    .execute();
  const expiringSoon = await activeMonitors
    .$call(joinVerdict)
    .select('monitors.id')
    .where('monitors.not_after', '<', now + DIGEST_AHEAD_MS)
    .execute();
  const renewals = new Map(expiringSoon.map((row) => [row.id, currentVerdict(row)?.renewal ?? null]));
  return rows
    .map((row) => {
      const renewal = renewals.get(row.id) ?? null;
      return {
        ...nameOf(row),
        notAfter: row.not_after,
        // Digests only report problems that all clients have with a certificate, outages and expiry dates.
        problem: row.problem === 'unreachable' || row.problem === 'untrusted' ? row.problem : null,
        revoked: row.revoked === 1,
        isDown: row.uptime === 'down',
        renewFrom: renewal?.from ?? null,
        overdueAt: renewal?.overdueAt ?? null,
      };
    })
    .toSorted((left, right) => (left.notAfter ?? Infinity) - (right.notAfter ?? Infinity));
}

/** Returns the domains whose next renewal will fail, soonest expected renewal first. */
async function readFailing(
  store: Store,
  { accountId, now }: Request,
): Promise<(Targeted & { line: string; expectedAt: number })[]> {
  const rows = await store.db
    .selectFrom('monitors')
    .innerJoin('forecasts', forecastOfMonitor)
    .select(['host', 'port', 'target', 'line', 'expected_at'])
    .where('monitors.account_id', '=', accountId)
    .where('active', '=', 1)
    .where(sql<boolean>`outcome = 'fails'`)
    .orderBy('expected_at')
    .orderBy('host')
    .orderBy('port')
    .execute();
  return rows.map((row) => ({ ...nameOf(row), line: row.line ?? '', expectedAt: row.expected_at ?? now }));
}

/**
 * Returns domains whose leaf certificate was replaced since `from` (ms UTC). The first certificate of a new domain replaces none.
 */
async function readRenewed(
  store: Store,
  { accountId, now }: Request,
  from: number,
): Promise<(Targeted & { notAfter: number })[]> {
  const rows = await store.db
    .selectFrom('monitors')
    .innerJoin('monitor_certificates as shown', (join) =>
      join
        .onRef('shown.account_id', '=', 'monitors.account_id')
        .onRef('shown.monitor_id', '=', 'monitors.id')
        .onRef('shown.fingerprint', '=', 'monitors.certificate_fingerprint')
        .on('shown.role', '=', 'leaf'),
    )
    .select(['host', 'port', 'target', 'not_after'])
    .distinct()
    .where('monitors.account_id', '=', accountId)
    .where('active', '=', 1)
    .where('revoked', '=', 0)
    .where('not_after', '>', now)
    .where('shown.first_seen_at', '>=', from)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('monitor_certificates as before')
          .select('before.id')
          .whereRef('before.account_id', '=', 'monitors.account_id')
          .whereRef('before.monitor_id', '=', 'monitors.id')
          .whereRef('before.fingerprint', '!=', 'shown.fingerprint')
          .where('before.role', '=', 'leaf')
          .whereRef('before.first_seen_at', '<', 'shown.first_seen_at'),
      ),
    )
    .orderBy('host')
    .orderBy('port')
    .execute();
  return rows.map(({ not_after: notAfter, ...row }) => ({ ...nameOf(row), notAfter: notAfter ?? now }));
}

/** Returns the confirmed incidents, except expiries, that overlap the time from `from` to `now` (ms UTC), newest first. */
async function readIncidents(
  store: Store,
  { accountId, now }: Request,
  from: number,
): Promise<DigestIncident[]> {
  return store.db
    .selectFrom('incident_members')
    .innerJoin('monitors', monitorOf('incident_members'))
    .select(['monitors.id as monitorId', 'host', 'port', 'target', 'uptime_since as uptimeSince'])
    .select([
      'incident_members.problem',
      'incident_members.started_at as startedAt',
      'incident_members.ended_at as endedAt',
    ])
    .where('monitors.account_id', '=', accountId)
    .where('monitors.active', '=', 1)
    .where('incident_members.problem', '!=', 'expiry')
    .where('incident_members.confirmed_at', 'is not', null)
    .where('incident_members.started_at', '<', now)
    .where((eb) => eb.or([eb('ended_at', 'is', null), eb('ended_at', '>', from)]))
    .orderBy('incident_members.started_at', 'desc')
    .execute();
}
