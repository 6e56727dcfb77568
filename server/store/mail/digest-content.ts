import { type Concern, type Digest, type Listed, type Named, uptimePercent } from '../../core/index.ts';
import { joinVerdict } from '../monitors/monitor-row.ts';
import type { Store } from '../db/open-store.ts';
import { currentVerdict } from '../checks/verdict-row.ts';
import { DAY_MS, WEEK_MS } from '../../../contract/durations.ts';

const AHEAD_MS = 30 * DAY_MS;
/** A mail is no list: the dashboard has the rest. */
const MOST_NAMED = 10;
const MOST_UPTIMES = 5;

type Request = { accountId: string; now: number };

/** Reads what a digest of the week before `now` says. Paused domains have no part in it. */
export async function digestContent(store: Store, request: Request): Promise<Digest> {
  const { now } = request;
  const from = now - WEEK_MS;
  const rows = await monitorsOf(store, request);
  const attention = rows.flatMap((row) => {
    const concern = concernOf(row, now);
    return concern === null ? [] : [{ ...row, concern }];
  });
  const urgent = new Set(attention.map(({ id }) => id));
  const expiring = rows.flatMap((row) => {
    const { notAfter } = row;
    const isDue = row.renewFrom === null || row.renewFrom <= now;
    if (urgent.has(row.id) || notAfter === null || notAfter >= now + AHEAD_MS || !isDue) return [];
    return [{ ...row, notAfter }];
  });
  return {
    from,
    until: now,
    watched: rows.length,
    attention: listed(attention, ({ concern, notAfter }) => ({ concern, notAfter })),
    expiring: listed(expiring, ({ notAfter }) => ({ notAfter })),
    renewed: listed(await renewedSince(store, request, from), ({ notAfter }) => ({ notAfter })),
    ...(await lastWeek(store, request, from)),
  };
}

function listed<T extends Named, S>(all: readonly T[], told: (one: T) => S): Listed<S> {
  const first = all.slice(0, MOST_NAMED).map((one) => ({ host: one.host, port: one.port, ...told(one) }));
  return { first, more: all.length - first.length };
}

interface Row extends Named {
  id: string;
  notAfter: number | null;
  revoked: boolean;
  isDown: boolean;
  problem: 'unreachable' | 'untrusted' | null;
  /** From when on its renewal is expected, and overdue; null where its certificate is not at hand, or far from its end. */
  renewFrom: number | null;
  overdueAt: number | null;
}

/** Soonest end first; those without a certificate last. */
async function monitorsOf(store: Store, { accountId, now }: Request): Promise<Row[]> {
  const ofAccount = store.db
    .selectFrom('monitors')
    .where('monitors.account_id', '=', accountId)
    .where('monitors.active', '=', 1);
  const rows = await ofAccount
    .select(['id', 'host', 'port', 'not_after', 'revoked', 'uptime', 'problem'])
    .orderBy('host')
    .orderBy('port')
    .execute();
  const near = await ofAccount
    .$call(joinVerdict)
    .select('monitors.id')
    .where('monitors.not_after', '<', now + AHEAD_MS)
    .execute();
  const renewals = new Map(near.map((one) => [one.id, currentVerdict(one)?.renewal ?? null]));
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

function concernOf(row: Row, now: number): Concern | null {
  const { notAfter } = row;
  if (row.revoked) return 'revoked';
  if (notAfter !== null && notAfter <= now) return 'expiry';
  if (row.isDown) return 'down';
  if (row.problem !== null) return row.problem;
  const endsSoon = notAfter !== null && notAfter < now + WEEK_MS;
  return endsSoon && (row.overdueAt === null || row.overdueAt <= now) ? 'expiry' : null;
}

/** Leaves that took the place of another one; what was added in the week has none before. */
async function renewedSince(
  store: Store,
  { accountId, now }: Request,
  from: number,
): Promise<(Named & { notAfter: number })[]> {
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

async function lastWeek(
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
    incidents: listed(rows, ({ problem, startedAt, endedAt }) => ({ problem, startedAt, endedAt })),
    uptime: uptime.toSorted((left, right) => left.percent - right.percent).slice(0, MOST_UPTIMES),
  };
}
