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

export interface IconKeeperOptions {
  store: Store;
  icons: IconSource;
  clock: Clock;
  /** In [0, 1); spreads the fetches. */
  random: () => number;
  log: Log;
}

/** Icons change about never; where there is none, one may appear any day. */
const AGAIN_AFTER_MS = 7 * DAY_MS;
const NONE_AGAIN_AFTER_MS = DAY_MS;
/** Decoration: it must never be noticed beside the checks. */
const AT_ONCE = 2;

/** Looks for the icons of the sites that are checked, in a loop of its own. */
export function createIconKeeper({
  store,
  icons,
  clock,
  random,
  telemetry,
  log,
}: IconKeeperOptions & { telemetry: Telemetry }): ClaimLoop {
  const spread = (ms: number): number => clock.now() + Math.round(ms * (0.9 + 0.2 * random()));

  async function keep(site: Site, stopping: AbortSignal): Promise<void> {
    const icon = await icons.find(site, stopping);
    // A known icon outlives a day on which its site does not answer.
    if (icon === null) return;
    await keepFavicon(store, site, { ...icon, nextFetchAt: spread(AGAIN_AFTER_MS) });
  }

  return createClaimLoop<Site>({
    name: 'icon',
    concurrency: AT_ONCE,
    claim: (limit) =>
      claimDueSites(store, { now: clock.now(), limit, nextFetchAt: spread(NONE_AGAIN_AFTER_MS) }),
    handle: keep,
    release: (site) => releaseSite(store, site, clock.now()),
    random,
    fieldsOf: ({ host, port }) => ({ endpoint: `${host}:${port}` }),
    telemetry,
    log,
  });
}
