import { hash } from 'node:crypto';
import { assessUptime } from '../core/check/uptime.ts';
import type { CertificateFacts } from '../core/facts.ts';
import type { Observation } from '../core/observation.ts';
import type { Examination } from '../probe/examiner.ts';
import {
  type ClaimedPreview,
  claimPreviews,
  extendPreview,
  firstPreviewAt,
  type PreviewResult,
  storePreviewResult,
} from '../store/checks/preview-checks.ts';
import type { CheckerOptions } from './checker.ts';
import { type ClaimLoop, createClaimLoop, type LeaveSlot } from './claim-loop.ts';
import type { Telemetry } from '../telemetry/metrics.ts';

/**
 * Lease of a preview check in ms, extended while the check runs. It is short, so that another worker takes over from a killed one
 * while the visitor still waits.
 */
const LEASE_MS = 3_000;
const RENEW_MS = 1_000;
/**
 * Time in ms after which a preview check ends with the results so far. `slow` is for servers that are slow before TLS, such as
 * mail servers that delay their greeting. The visitor's API call waits two seconds longer.
 */
const TIMEOUT_MS = { usual: 8_000, slow: 20_000 };

/**
 * Maximum number of preview checks at once. It is separate from that of other checks, so that neither kind waits for the other.
 */
const MAX_CONCURRENT = 8;
/** Maximum number of further preview checks that wait for slow servers: about as many as visitors may start in 20 s. */
const MAX_SLOW = 32;

/** Creates the loop that runs the preview checks that visitors ask for. */
export function createPreviewLoop(options: CheckerOptions & { telemetry: Telemetry }): ClaimLoop {
  const { store, clock } = options;
  return createClaimLoop({
    ...options,
    name: 'look',
    concurrency: MAX_CONCURRENT,
    firstDueAt: () => firstPreviewAt(store),
    claim: (limit) => claimPreviews(store, { now: clock.now(), limit, leaseMs: LEASE_MS }),
    handle: (preview, stopping, leaveSlot) => runPreview(preview, options, { stopping, leaveSlot }),
    waitingRoom: { size: MAX_SLOW, groupOf: () => 'visitors' },
    release: ({ id }) => extendPreview(store, { id, now: clock.now(), leaseMs: 0 }),
    // Log only the id: we do not keep which host a visitor checked.
    fieldsOf: ({ id }) => ({ look: id }),
  });
}

/**
 * Runs a preview check for a visitor without an account, with the same probe and judge as other checks. Stores only the result.
 */
async function runPreview(
  { id, host, port, protocol }: ClaimedPreview,
  { store, examiner, clock, log }: Omit<CheckerOptions, 'random'>,
  { stopping, leaveSlot }: { stopping: AbortSignal; leaveSlot: LeaveSlot },
): Promise<void> {
  const renewal = setInterval(() => {
    extendPreview(store, { id, now: clock.now(), leaseMs: LEASE_MS }).catch((error: unknown) =>
      log.warn({ err: error }, 'the lease of a preview check could not be extended'),
    );
  }, RENEW_MS);
  const late = new AbortController();
  const end = (): void => late.abort();
  const startedAt = performance.now();
  let deadline = setTimeout(end, TIMEOUT_MS.usual);
  const onSlow = (): void => {
    clearTimeout(deadline);
    deadline = setTimeout(end, TIMEOUT_MS.slow - (performance.now() - startedAt));
    leaveSlot(end);
  };
  stopping.addEventListener('abort', end, { once: true });
  if (stopping.aborted) end();
  try {
    const options = { signal: late.signal, onSlow, authorities: [], withPosture: false, isNew: true };
    const examination = await examiner.examine({ host, port, protocol }, { ...options, previous: [null] });
    const [verdict] = examination.verdicts;
    if (stopping.aborted || verdict === undefined) return;
    const { observation, certificates } = examination;
    const chain = readableChain(observation, verdict.leafFingerprint, certificates);
    const facts = chain[0] ?? null;
    const uptime = assessUptime(observation);
    const answer: PreviewResult = {
      verdict,
      leaf: facts && { ...facts, sans: facts.sans.slice(0, MAX_NAMES) },
      chain: chain.map(({ subject, issuer, notAfter }) => ({ subject, issuer, notAfter })),
      names: facts?.sans.length ?? 0,
      outage: verdict.reached && uptime.state === 'down' ? (uptime.cause?.message ?? null) : null,
    };
    await storePreviewResult(store, id, answer);
  } finally {
    clearInterval(renewal);
    clearTimeout(deadline);
    stopping.removeEventListener('abort', end);
  }
}

/** Maximum number of names that a preview check shows. */
const MAX_NAMES = 100;

/**
 * Returns the chain of the first address that serves this leaf; empty if none does. Uses the facts that the examiner parsed,
 * because this thread never parses untrusted data.
 */
function readableChain(
  observation: Observation,
  leafFingerprint: string | null,
  certificates: Examination['certificates'],
): CertificateFacts[] {
  const known = new Map(certificates.map(({ facts }) => [facts.fingerprint, facts]));
  for (const seen of observation.addresses) {
    if (seen.outcome !== 'handshake') continue;
    const chain = seen.presentedChain.flatMap((der) => known.get(hash('sha256', der, 'hex')) ?? []);
    if (chain[0]?.fingerprint === leafFingerprint) return chain;
  }
  return [];
}
