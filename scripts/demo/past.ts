import { alertSteps, certificateFacts, judge, type Observation } from '../../server/core/index.ts';
import { parseCertificate, type TrustStore } from '../../server/pki/index.ts';
import { record } from '../../server/store/checks/checks.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import type { DemoCertificate } from './certificates.ts';
import type { DemoHost } from './hosts.ts';
import { answerPast, deliverPast } from './told.ts';
import { liveUptime } from './uptime.ts';
import { MINUTE_MS, HOUR_MS, DAY_MS } from '../../contract/durations.ts';
import { describeMonitor } from '../../server/store/monitors/monitor-change.ts';
import { addMonitor } from '../../server/store/monitors/monitor-adding.ts';
import { claimDue, type ClaimedMonitor } from '../../server/store/monitors/monitor-claims.ts';
import { pauseMonitor } from '../../server/store/monitors/monitor-pauses.ts';

/** What was wrong from the first look on. */
const LASTING: readonly DemoHost['fault'][] = ['wrong-name', 'self-signed'];
/** Its webhook did not answer at once. */
const RETRIED_HOST = 'pay.fjord.example';

interface Look {
  at: number;
  certificate: DemoCertificate;
}

/**
 * Lets the account have watched these hosts for months: each certificate was seen when it came, when there was something to
 * tell of it and before it went. The next check of each is due at `now` and is a real one; what was told before is told.
 */
export async function livePast(
  store: Store,
  past: {
    accountId: string;
    hosts: readonly DemoHost[];
    /** Of each host by name, oldest first. */
    certificates: ReadonlyMap<string, readonly DemoCertificate[]>;
    trustStore: TrustStore;
    port: number;
    /** Of the host that speaks SMTP. */
    mailPort: number | null;
    since: number;
    now: number;
  },
): Promise<void> {
  const { accountId, hosts, trustStore, now } = past;
  const looksAt = new Map<string, Look[]>();
  const ids = new Map<string, string>();
  for (const [index, host] of hosts.entries()) {
    const since = past.since + index * HOUR_MS;
    const looks = looksOf(host, past.certificates.get(host.name) ?? [], since, now);
    looksAt.set(host.name, looks);
    const added = await addMonitor(store, {
      accountId,
      host: host.name,
      port: (host.protocol === 'smtp' ? past.mailPort : null) ?? past.port,
      protocol: host.protocol ?? 'https',
      checkEveryMinutes: intervalOf(index),
      now: looks.length > 0 ? since : now,
      mayAdd: () => true,
    });
    if (!added.ok) throw new Error(`${host.name}: ${added.code}`);
    ids.set(host.name, added.monitor.id);
  }

  const instants = [...looksAt.values()].flat().map(({ at }) => at);
  for (const at of [...new Set(instants)].toSorted((a, b) => a - b)) {
    const due = await claimDue(store, {
      now: at,
      limit: hosts.length,
      leaseMs: MINUTE_MS,
      claimedBy: 'the demo',
    });
    for (const monitor of due) {
      const looks = looksAt.get(monitor.host) ?? [];
      const index = looks.findIndex((look) => look.at === at);
      const look = looks[index];
      if (look === undefined) throw new Error(`${monitor.host} is due when nobody looks`);
      await recordLook(monitor, look, looks[index + 1]?.at ?? now);
    }
    await deliverPast(store, { at, retriedHost: RETRIED_HOST });
  }
  for (const [index, host] of hosts.entries()) {
    const { name, tags = [], notes = '', pausedDaysAgo } = host;
    const key = { accountId, monitorId: ids.get(name) ?? '' };
    const [first] = looksAt.get(name) ?? [];
    if (first) {
      const checkEveryMinutes = intervalOf(index);
      const until = watchedUntil(host, now);
      await liveUptime(store, {
        ...key,
        host,
        since: first.at,
        checkEveryMinutes,
        now: until,
      });
    }
    await describeMonitor(store, { ...key, describe: () => ({ notes, tags: [...tags] }) });
    if (pausedDaysAgo !== undefined) await pauseMonitor(store, { ...key, now: watchedUntil(host, now) });
  }
  await answerPast(store, { accountId, idOf: (host) => ids.get(host) ?? '', now });

  async function recordLook(monitor: ClaimedMonitor, { at, certificate }: Look, next: number): Promise<void> {
    const ders = [certificate.der, ...certificate.chain.map(({ der }) => der)];
    const observation = handshakeSeen(monitor, at, ders);
    const { accountId, id: monitorId, leaseToken, checkEveryMinutes: everyMinutes } = monitor;
    const lease = { accountId, monitorId, leaseToken, everyMinutes };
    await record(store, lease, {
      now: at,
      observation,
      verdict: judge(observation, at, trustStore, monitor.verdict),
      certificates: ders.map((der) => ({ der, facts: certificateFacts(parseCertificate(der)) })),
      jitter: 0,
    });
    await store.db.updateTable('monitors').set({ next_check_at: next }).where('id', '=', monitorId).execute();
  }
}

const intervalOf = (index: number): number => (index % 3 === 1 ? 60 : 1440);

const watchedUntil = ({ pausedDaysAgo = 0 }: DemoHost, now: number): number => now - pausedDaysAgo * DAY_MS;

/** Of what can still be seen, the check at `now` is the last; until then its first one stands for all. */
function lastSeen(host: DemoHost, first: number, now: number): number {
  if (host.fault === 'gone') return now - 6 * DAY_MS;
  return host.pausedDaysAgo === undefined ? first : watchedUntil(host, now) - HOUR_MS;
}

/** When which certificate was seen: at its first check and at the last one before its successor. */
function looksOf(
  host: DemoHost,
  certificates: readonly DemoCertificate[],
  since: number,
  now: number,
): Look[] {
  const looks: Look[] = [];
  if (host.fault === 'nowhere') return looks;
  for (const [index, certificate] of certificates.entries()) {
    const successor = certificates[index + 1];
    const first = Math.max(since, certificate.notBefore + HOUR_MS);
    looks.push({ at: first, certificate });
    const last = successor ? successor.notBefore : lastSeen(host, first, now);
    // Of what is wrong with it a second look is believed.
    if (!successor && LASTING.includes(host.fault)) looks.push({ at: first + MINUTE_MS, certificate });
    // The steps of the last day are left to the real check.
    const until = last > first ? last : now - DAY_MS;
    const steps = alertSteps(certificate).filter(({ at }) => at > first + MINUTE_MS && at < until);
    looks.push(...steps.map(({ at }) => ({ at, certificate })));
    if (last > first) looks.push({ at: last, certificate });
  }
  return looks;
}

function handshakeSeen(endpoint: Observation['endpoint'], at: number, ders: Uint8Array[]): Observation {
  return {
    endpoint: { host: endpoint.host, port: endpoint.port, protocol: endpoint.protocol },
    observedAt: at,
    durationMs: 31,
    resolution: { ok: true, addresses: ['127.0.0.1'] },
    addresses: [
      {
        address: '127.0.0.1',
        family: 4,
        outcome: 'handshake',
        presentedChain: ders,
        tlsVersion: 'TLSv1.3',
        cipher: 'TLS_AES_256_GCM_SHA384',
        group: 'X25519',
        legacyTls: false,
        staple: null,
        durationMs: 24,
      },
    ],
    http: null,
    authorities: [],
    revocation: [],
    renewal: [],
    posture: null,
  };
}
