import {
  concernOf,
  type Digest,
  DIGEST_AHEAD_MS,
  type DigestDomain,
  isExpiring,
  type TruncatedList,
  type DomainName,
  uptimePercent,
} from '../../core/index.ts';
import { joinVerdict } from '../monitors/monitor-row.ts';
import type { Store } from '../db/open-store.ts';
import { currentVerdict } from '../checks/verdict-row.ts';
import { WEEK_MS } from '../../../contract/durations.ts';

/** Limit on domains per section of the mail. The dashboard shows the rest. */
const MAX_LISTED = 10;
const MAX_UPTIMES = 5;

type Request = { accountId: string; now: number };

/** Builds the digest of the seven days before `now` (ms UTC). Leaves out paused domains. */
export async function digestContent(store: Store, request: Request): Promise<Digest> {
  const { now } = request;
  const from = now - WEEK_MS;
  const rows = await readMonitors(store, request);
  const attention = rows.flatMap((row) => {
    const concern = concernOf(row, now);
    return concern === null ? [] : [{ ...row, concern }];
  });
  const urgent = new Set(attention.map(({ id }) => id));
  const expiring = rows.flatMap((row) =>
    row.notAfter !== null && !urgent.has(row.id) && isExpiring(row, now)
      ? [{ ...row, notAfter: row.notAfter }]
      : [],
  );
  return {
    from,
    until: now,
    watched: rows.length,
    attention: toListed(attention, ({ concern, notAfter }) => ({ concern, notAfter })),
    expiring: toListed(expiring, ({ notAfter }) => ({ notAfter })),
    renewed: toListed(await readRenewed(store, request, from), ({ notAfter }) => ({ notAfter })),
    ...(await summarizeWeek(store, request, from)),
  };
}

function toListed<T extends DomainName, S>(all: readonly T[], details: (item: T) => S): TruncatedList<S> {
  const first = all
    .slice(0, MAX_LISTED)
    .map((item) => ({ host: item.host, port: item.port, ...details(item) }));
  return { first, more: all.length - first.length };
}

interface Row extends DomainName, DigestDomain {
  id: string;
}

/** Returns the account's active domains by expiry, soonest first. Those without a certificate come last. */
async function readMonitors(store: Store, { accountId, now }: Request): Promise<Row[]> {
  const activeMonitors = store.db
    .selectFrom('monitors')
    .where('monitors.account_id', '=', accountId)
    .where('monitors.active', '=', 1);
  const rows = await activeMonitors
    .select(['id', 'host', 'port', 'not_after', 'revoked', 'uptime', 'problem'])
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
    .map((row): Row => {
      const renewal = renewals.get(row.id) ?? null;
      return {
        id: row.id,
        host: row.host,
        port: row.port,
        notAfter: row.not_after,
        problem: row.problem,
        revoked: row.revoked === 1,
        isDown: row.uptime === 'down',
        renewFrom: renewal?.from ?? null,
        overdueAt: renewal?.overdueAt ?? null,
      };
    })
    .toSorted((left, right) => (left.notAfter ?? Infinity) - (right.notAfter ?? Infinity));
}

/**
 * Returns domains whose leaf replaced another one since `from` (ms UTC). Omits the first certificate of a new domain.
 */
async function readRenewed(
  store: Store,
  { accountId, now }: Request,
  from: number,
): Promise<(DomainName & { notAfter: number })[]> {
  const rows = await store.db
    .selectFrom('monitors')
    .innerJoin('monitor_certificates as shown', (join) =>
      join
        .onRef('shown.account_id', '=', 'monitors.account_id')
        .onRef('shown.monitor_id', '=', 'monitors.id')
        .onRef('shown.fingerprint', '=', 'monitors.certificate_fingerprint')
        .on('shown.role', '=', 'leaf'),
    )
    .select(['host', 'port', 'not_after'])
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
  return rows.map(({ host, port, not_after: notAfter }) => ({ host, port, notAfter: notAfter ?? now }));
}

async function summarizeWeek(
  store: Store,
  { accountId, now }: Request,
  from: number,
): Promise<Pick<Digest, 'incidents' | 'uptime'>> {
  const rows = await store.db
    .selectFrom('incidents')
    .innerJoin('monitors', (join) =>
      join
        .onRef('monitors.account_id', '=', 'incidents.account_id')
        .onRef('monitors.id', '=', 'incidents.monitor_id'),
    )
    .select(['monitors.id', 'host', 'port', 'uptime_since'])
    .select(['incidents.problem', 'incidents.started_at as startedAt', 'incidents.ended_at as endedAt'])
    .where('monitors.account_id', '=', accountId)
    .where('monitors.active', '=', 1)
    .where('incidents.problem', '!=', 'expiry')
    .where('incidents.confirmed_at', 'is not', null)
    .where('incidents.started_at', '<', now)
    .where((eb) => eb.or([eb('ended_at', 'is', null), eb('ended_at', '>', from)]))
    .orderBy('incidents.started_at', 'desc')
    .execute();
  const byMonitor = Map.groupBy(
    rows.filter(({ problem }) => problem === 'down'),
    ({ id }) => id,
  );
  const uptime = [...byMonitor.values()].flatMap(([first, ...rest]) => {
    if (first === undefined || first.uptime_since === null) return [];
    const { host, port, uptime_since: since } = first;
    const watchedFrom = Math.max(from, since);
    const downMs = [first, ...rest].reduce(
      (sum, { startedAt, endedAt }) => sum + Math.max(0, (endedAt ?? now) - Math.max(watchedFrom, startedAt)),
      0,
    );
    return [{ host, port, percent: uptimePercent({ from: watchedFrom, now, downMs }) }];
  });
  return {
    incidents: toListed(rows, ({ problem, startedAt, endedAt }) => ({ problem, startedAt, endedAt })),
    uptime: uptime.toSorted((left, right) => left.percent - right.percent).slice(0, MAX_UPTIMES),
  };
}
