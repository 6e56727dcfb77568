import { hash } from 'node:crypto';
import type { CertificateFacts, Observation } from '../core/index.ts';
import type { IconSource, Judgement } from '../probe/index.ts';
import {
  answerGlance,
  type ClaimedGlance,
  extendGlance,
  type GlanceAnswer,
} from '../store/checks/glances.ts';
import type { CheckerOptions } from './checker.ts';
import { claimDueSites, keepFavicon, releaseSite, type Site } from '../store/monitors/favicons.ts';
import type { Store } from '../store/db/open-store.ts';
import { type ClaimLoop, createClaimLoop } from './claim-loop.ts';
import type { Telemetry } from '../telemetry/index.ts';
import type { Clock, Log } from './clock.ts';
import { DAY_MS } from '../../contract/durations.ts';

/**
 * Extended while the preview runs. Short, so that another worker takes over from a killed one
 * while the visitor still waits.
 */
export const GLANCE_LEASE_MS = 3_000;
const RENEW_MS = 1_000;
/** After this the preview reports a timeout: the visitor waits ten seconds. */
const TIMEOUT_MS = 8_000;

/**
 * Runs a preview check for a visitor without an account, by the probe and the judge of every
 * check. Stores only the answer.
 */
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
    const answer: GlanceAnswer = {
      verdict,
      leaf: facts && { ...facts, sans: facts.sans.slice(0, MAX_NAMES) },
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

export interface IconKeeperOptions {
  store: Store;
  icons: IconSource;
  clock: Clock;
  /** In [0, 1); spreads the fetches. */
  random: () => number;
  log: Log;
}

/** Icons hardly ever change; a missing one may appear any day. */
const REFETCH_AFTER_MS = 7 * DAY_MS;
const RETRY_MISSING_AFTER_MS = DAY_MS;
/** Icons are decoration: fetching them must not slow down checks. */
const CONCURRENCY = 2;

/** Creates the loop that fetches the icons of checked sites. */
export function createIconKeeper({
  store,
  icons,
  clock,
  random,
  telemetry,
  log,
}: IconKeeperOptions & { telemetry: Telemetry }): ClaimLoop {
  const jitteredFromNow = (ms: number): number => clock.now() + Math.round(ms * (0.9 + 0.2 * random()));

  async function fetchIcon(site: Site, stopping: AbortSignal): Promise<void> {
    const icon = await icons.find(site, stopping);
    // Keep a known icon on a day on which its site does not answer.
    if (icon === null) return;
    await keepFavicon(store, site, { ...icon, nextFetchAt: jitteredFromNow(REFETCH_AFTER_MS) });
  }

  return createClaimLoop<Site>({
    name: 'icon',
    concurrency: CONCURRENCY,
    claim: (limit) =>
      claimDueSites(store, { now: clock.now(), limit, nextFetchAt: jitteredFromNow(RETRY_MISSING_AFTER_MS) }),
    handle: fetchIcon,
    release: (site) => releaseSite(store, site, clock.now()),
    random,
    fieldsOf: ({ host, port }) => ({ endpoint: `${host}:${port}` }),
    telemetry,
    log,
  });
}
