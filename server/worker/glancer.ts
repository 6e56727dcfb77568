import { hash } from 'node:crypto';

import type { CertificateFacts, Observation } from '../core/index.ts';
import type { Judgement } from '../probe/index.ts';
import {
  answerGlance,
  type ClaimedGlance,
  extendGlance,
  type GlanceAnswer,
} from '../store/checks/glances.ts';
import type { CheckerOptions } from './checker.ts';

/** Renewed while the look goes on, so that a killed worker's is taken up while its asker still waits. */
export const GLANCE_LEASE_MS = 3_000;
const RENEW_MS = 1_000;
/** What has not answered by then is told as such: its asker waits ten seconds. */
const LOOK_MS = 8_000;

/** One look for somebody without an account, by the probe and the judge of every check. Only the answer is written. */
export async function answerAsked(
  { id, host, port, protocol }: ClaimedGlance,
  { store, examiner, clock, log }: Omit<CheckerOptions, 'random'>,
  stopping: AbortSignal,
): Promise<void> {
  const renewal = setInterval(() => {
    extendGlance(store, { id, now: clock.now(), leaseMs: GLANCE_LEASE_MS }).catch((error: unknown) =>
      log.warn({ err: error }, 'the lease of a look could not be extended'),
    );
  }, RENEW_MS);
  const late = new AbortController();
  const end = (): void => late.abort();
  const deadline = setTimeout(end, LOOK_MS);
  stopping.addEventListener('abort', end, { once: true });
  if (stopping.aborted) end();
  try {
    const observation = await examiner.observe(
      { host, port, protocol },
      { signal: late.signal, authorities: [], withPosture: false },
    );
    if (stopping.aborted) return;
    const asked = { observation, now: clock.now(), authorities: [], previous: null };
    const { verdict, certificates } = await examiner.judge(asked);
    const chain = readableChain(observation, verdict.leafFingerprint, certificates);
    const facts = chain[0] ?? null;
    const answer: GlanceAnswer = {
      verdict,
      leaf: facts && { ...facts, sans: facts.sans.slice(0, SHOWN_NAMES) },
      chain: chain.map(({ subject, issuer, notAfter }) => ({ subject, issuer, notAfter })),
      names: facts?.sans.length ?? 0,
    };
    await answerGlance(store, id, answer);
  } finally {
    clearInterval(renewal);
    clearTimeout(deadline);
    stopping.removeEventListener('abort', end);
  }
}

/** Nobody reads more of a report that is looked at once. */
const SHOWN_NAMES = 100;

/** What the first address with this leaf sent, by the facts that the examiner read: nothing of a stranger's is parsed here. */
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
