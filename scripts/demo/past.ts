import { alertSteps } from '../../server/core/alert-steps.ts';
import { certificateFacts } from '../../server/core/facts.ts';
import { judge } from '../../server/core/judge/judge.ts';
import type { Observation } from '../../server/core/observation.ts';
import { parseCertificate } from '../../server/pki/certificate.ts';
import type { TrustStore } from '../../server/pki/trust-store.ts';
import { saveCheck } from '../../server/store/checks/checks.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import type { DemoCertificate } from './certificates.ts';
import type { DemoHost } from './hosts.ts';
import { addUserActions, deliverPastAlerts } from './past-alerts.ts';
import { createPastUptime } from './uptime.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../contract/durations.ts';
import { updateDescription } from '../../server/store/monitors/monitor-change.ts';
import { addMonitor } from '../../server/store/monitors/monitor-adding.ts';
import { claimDue, type ClaimedMonitor } from '../../server/store/monitors/monitor-claims.ts';
import { pauseMonitor } from '../../server/store/monitors/monitor-pauses.ts';

/** Faults of a host's current certificate, which every check since its start has shown. */
const LASTING_FAULTS: readonly DemoHost['fault'][] = ['wrong-name', 'self-signed'];
/** Host whose webhook deliveries needed retries. */
const RETRIED_HOST = 'pay.fjord.example';

interface PastCheck {
  at: number;
  certificate: DemoCertificate;
}

/**
 * Writes months of past checks of these hosts, with their alerts. Each certificate is checked when it appears, at alert steps
 * and before it is replaced. For a host that is not paused, the next check is due at `now`; the running demo makes it.
 */
export async function createPastChecks(
  store: Store,
  past: {
    accountId: string;
    hosts: readonly DemoHost[];
    /** Certificates of each host by its name, oldest first. */
    certificates: ReadonlyMap<string, readonly DemoCertificate[]>;
    trustStore: TrustStore;
    port: number;
    /** Port of the SMTP host; null if there is no SMTP host. */
    mailPort: number | null;
    since: number;
    now: number;
  },
): Promise<void> {
  const { accountId, hosts, trustStore, now } = past;
  const checksByHost = new Map<string, PastCheck[]>();
  const ids = new Map<string, string>();
  for (const [index, host] of hosts.entries()) {
    const since = past.since + index * HOUR_MS;
    const checks = pastChecksOf(host, past.certificates.get(host.name) ?? [], since, now);
    checksByHost.set(host.name, checks);
    const added = await addMonitor(store, {
      accountId,
      host: host.name,
      port: (host.protocol === 'smtp' ? past.mailPort : null) ?? past.port,
      protocol: host.protocol ?? 'https',
      checkEveryMinutes: intervalOf(index),
      now: checks.length > 0 ? since : now,
      mayAdd: () => true,
    });
    if (!added.ok) throw new Error(`${host.name}: ${added.code}`);
    ids.set(host.name, added.monitor.id);
  }

  const instants = [...checksByHost.values()].flat().map(({ at }) => at);
  for (const at of [...new Set(instants)].toSorted((a, b) => a - b)) {
    const due = await claimDue(store, {
      now: at,
      limit: hosts.length,
      leaseMs: MINUTE_MS,
      claimedBy: 'the demo',
    });
    for (const monitor of due) {
      const checks = checksByHost.get(monitor.host) ?? [];
      const index = checks.findIndex((check) => check.at === at);
      const check = checks[index];
      if (check === undefined) throw new Error(`${monitor.host} is due at a time without a planned check`);
      await recordCheck(monitor, check, checks[index + 1]?.at ?? now);
    }
    await deliverPastAlerts(store, { at, retriedHost: RETRIED_HOST });
  }
  for (const [index, host] of hosts.entries()) {
    const { name, tags = [], notes = '', pausedDaysAgo } = host;
    const key = { accountId, monitorId: ids.get(name) ?? '' };
    const [first] = checksByHost.get(name) ?? [];
    if (first) {
      const checkEveryMinutes = intervalOf(index);
      const until = watchedUntil(host, now);
      await createPastUptime(store, {
        ...key,
        host,
        since: first.at,
        checkEveryMinutes,
        now: until,
      });
    }
    await updateDescription(store, { ...key, describe: () => ({ notes, tags: [...tags] }) });
    if (pausedDaysAgo !== undefined) await pauseMonitor(store, { ...key, now: watchedUntil(host, now) });
  }
  await addUserActions(store, { accountId, idOf: (host) => ids.get(host) ?? '', now });

  async function recordCheck(
    monitor: ClaimedMonitor,
    { at, certificate }: PastCheck,
    next: number,
  ): Promise<void> {
    const ders = [certificate.der, ...certificate.chain.map(({ der }) => der)];
    const observation = handshakeObservation(monitor, at, ders);
    const { accountId, id: monitorId, leaseToken, checkEveryMinutes: everyMinutes } = monitor;
    const lease = { accountId, monitorId, leaseToken, everyMinutes };
    await saveCheck(store, lease, {
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

/**
 * Returns the time of the last past check of the current certificate, ms UTC. For a host that is not paused or gone it is
 * `first`, because the demo makes a real check at `now`.
 */
function lastCheckAt(host: DemoHost, first: number, now: number): number {
  if (host.fault === 'gone') return now - 6 * DAY_MS;
  return host.pausedDaysAgo === undefined ? first : watchedUntil(host, now) - HOUR_MS;
}

/**
 * Returns the past checks of a host: for each certificate the first check, the checks at alert steps, and the last check
 * before its successor.
 */
function pastChecksOf(
  host: DemoHost,
  certificates: readonly DemoCertificate[],
  since: number,
  now: number,
): PastCheck[] {
  const checks: PastCheck[] = [];
  if (host.fault === 'nowhere') return checks;
  for (const [index, certificate] of certificates.entries()) {
    const successor = certificates[index + 1];
    const first = Math.max(since, certificate.notBefore + HOUR_MS);
    checks.push({ at: first, certificate });
    const last = successor ? successor.notBefore : lastCheckAt(host, first, now);
    // Adds a second check, which confirms the fault.
    if (!successor && LASTING_FAULTS.includes(host.fault))
      checks.push({ at: first + MINUTE_MS, certificate });
    // Skip the alert steps of the last day, because the real check handles them.
    const until = last > first ? last : now - DAY_MS;
    const steps = alertSteps(certificate).filter(({ at }) => at > first + MINUTE_MS && at < until);
    checks.push(...steps.map(({ at }) => ({ at, certificate })));
    if (last > first) checks.push({ at: last, certificate });
  }
  return checks;
}

function handshakeObservation(
  endpoint: Observation['endpoint'],
  at: number,
  ders: Uint8Array[],
): Observation {
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
        alpn: 'h2',
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
