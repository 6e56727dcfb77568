import {
  certificateFacts,
  type CertificateFacts,
  diff,
  judge,
  nextCheckAt,
  type Observation,
  planAlerts,
} from '../core/index.ts';
import { parseReadable, type TrustStore } from '../pki/index.ts';
import type { Probe } from '../probe/index.ts';
import { record } from '../store/checks.ts';
import type { ClaimedMonitor } from '../store/monitors.ts';
import type { Store } from '../store/open-store.ts';
import type { Clock } from './clock.ts';
import type { Log } from './log.ts';

export interface CheckerOptions {
  store: Store;
  probe: Probe;
  trustStore: TrustStore;
  clock: Clock;
  /** In [0, 1); spreads the checks. */
  random: () => number;
  log: Log;
}

/** One whole check of a claimed monitor: look, judge, compare, plan, record. A stop in the middle leaves no trace. */
export async function checkMonitor(
  monitor: ClaimedMonitor,
  { store, probe, trustStore, clock, random, log }: CheckerOptions,
  stopping: AbortSignal,
): Promise<void> {
  const startedAt = clock.now();
  const { host, port, protocol } = monitor;
  const observation = await probe.observe(
    { host, port, protocol },
    { signal: stopping, trustStore, withPosture: false },
  );
  // What an interrupted look saw is our doing and says nothing about the endpoint.
  if (stopping.aborted) return;

  const now = clock.now();
  const verdict = judge(observation, now, trustStore, monitor.verdict);
  // Also where this look reached nobody: a certificate expires whether or not we can see it.
  const expiring = verdict.lastSeen?.expiring ?? [];
  const events = diff(monitor.verdict, verdict);
  const alerts = planAlerts({
    lastSeen: verdict.lastSeen,
    alreadyAlerted: monitor.alerted,
    now,
  });
  const kept = await record(store, {
    monitorId: monitor.id,
    leaseToken: monitor.leaseToken,
    now,
    startedAt,
    observation,
    verdict,
    certificates: certificatesSeen(observation),
    currentFingerprint: verdict.leafFingerprint,
    nextCheckAt: nextCheckAt({
      now,
      everyMinutes: monitor.checkEveryMinutes,
      reached: verdict.reached,
      certificates: expiring,
      jitter: random(),
    }),
    alerts,
  });
  const endpoint = `${monitor.host}:${monitor.port}`;
  if (!kept) log.info({ endpoint }, 'the lease of a check was lost; its result is dropped');
  else if (events.length > 0) log.info({ endpoint, events }, 'something changed');
}

/** Every distinct certificate that can be read, once, with its facts. An unreadable one is a finding of the verdict. */
function certificatesSeen(observation: Observation): { der: Uint8Array; facts: CertificateFacts }[] {
  const seen = new Map<string, { der: Uint8Array; facts: CertificateFacts }>();
  for (const address of observation.addresses) {
    if (address.outcome !== 'handshake') continue;
    for (const der of address.presentedChain) {
      const certificate = parseReadable(der);
      if (certificate === null) continue;
      const facts = certificateFacts(certificate);
      seen.set(facts.fingerprint, { der, facts });
    }
  }
  return [...seen.values()];
}
