import { hash } from 'node:crypto';
import type { CertificateFacts, Observation } from '../core/index.ts';
import type { Judgement } from '../probe/index.ts';
import {
  storePreviewResult,
  claimPreviews,
  type ClaimedPreview,
  extendPreview,
  type PreviewResult,
} from '../store/checks/preview-checks.ts';
import type { CheckerOptions } from './checker.ts';
import { type ClaimLoop, createClaimLoop } from './claim-loop.ts';
import type { Telemetry } from '../telemetry/index.ts';

/**
 * Extended while the preview runs. Short, so that another worker takes over from a killed one
 * while the visitor still waits.
 */
const LEASE_MS = 3_000;
const RENEW_MS = 1_000;
/** After this the preview reports a timeout: the visitor waits ten seconds. */
const TIMEOUT_MS = 8_000;

/** Separate from the checks, so that neither waits for the other. */
const MAX_CONCURRENT = 8;

/** Creates the loop that runs the preview checks that visitors ask for. */
export function createPreviewLoop(options: CheckerOptions & { telemetry: Telemetry }): ClaimLoop {
  const { store, clock } = options;
  return createClaimLoop({
    ...options,
    name: 'look',
    concurrency: MAX_CONCURRENT,
    claim: (limit) => claimPreviews(store, { now: clock.now(), limit, leaseMs: LEASE_MS }),
    handle: (preview, stopping) => runPreview(preview, options, stopping),
    release: ({ id }) => extendPreview(store, { id, now: clock.now(), leaseMs: 0 }),
    // Nobody keeps whose preview it is.
    fieldsOf: ({ id }) => ({ look: id }),
  });
}

/**
 * Runs a preview check for a visitor without an account, by the probe and the judge of every
 * check. Stores only the answer.
 */
async function runPreview(
  { id, host, port, protocol }: ClaimedPreview,
  { store, examiner, clock, log }: Omit<CheckerOptions, 'random'>,
  stopping: AbortSignal,
): Promise<void> {
  const renewal = setInterval(() => {
    extendPreview(store, { id, now: clock.now(), leaseMs: LEASE_MS }).catch((error: unknown) =>
      log.warn({ err: error }, 'the lease of a preview check could not be extended'),
    );
  }, RENEW_MS);
  const late = new AbortController();
  const end = (): void => late.abort();
  const deadline = setTimeout(end, TIMEOUT_MS);
  stopping.addEventListener('abort', end, { once: true });
  if (stopping.aborted) end();
  try {
    const observation = await examiner.observe(
      { host, port, protocol },
      { signal: late.signal, authorities: [], withPosture: false },
    );
    if (stopping.aborted) return;
    const input = { observation, now: clock.now(), authorities: [], previous: null };
    const { verdict, certificates } = await examiner.judge(input);
    const chain = readableChain(observation, verdict.leafFingerprint, certificates);
    const facts = chain[0] ?? null;
    const answer: PreviewResult = {
      verdict,
      leaf: facts && { ...facts, sans: facts.sans.slice(0, MAX_NAMES) },
      chain: chain.map(({ subject, issuer, notAfter }) => ({ subject, issuer, notAfter })),
      names: facts?.sans.length ?? 0,
    };
    await storePreviewResult(store, id, answer);
  } finally {
    clearInterval(renewal);
    clearTimeout(deadline);
    stopping.removeEventListener('abort', end);
  }
}

/** A preview shows no more names. */
const MAX_NAMES = 100;

/**
 * Returns the chain that the first address with this leaf sent, from the facts that the examiner parsed:
 * nothing untrusted is parsed here.
 */
function readableChain(
  observation: Observation,
  leafFingerprint: string | null,
  certificates: Judgement['certificates'],
): CertificateFacts[] {
  const known = new Map(certificates.map(({ facts }) => [facts.fingerprint, facts]));
  for (const seen of observation.addresses) {
    if (seen.outcome !== 'handshake') continue;
    const chain = seen.presentedChain.flatMap((der) => known.get(hash('sha256', der, 'hex')) ?? []);
    if (chain[0]?.fingerprint === leafFingerprint) return chain;
  }
  return [];
}
