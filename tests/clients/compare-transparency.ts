import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { connectingClients } from '../../server/core/judge/clients/refusals.ts';
import { parseLogList } from '../../server/pki/ct/log-list.ts';
import { logListJson } from '../kit/certificates/mint-log.ts';
import { startChromium } from './browsers.ts';
import type { RunningClient } from './client.ts';
import { serve, verdictAt } from './compare.ts';
import { writePkiMetadata } from './pki-metadata.ts';
import type { Peer } from '../kit/peers/tls-server.ts';
import { type Roots, withChain } from './scenario.ts';
import { LISTED_LOGS, TRANSPARENCY_SCENARIOS, type TransparencyScenario } from './transparency-scenarios.ts';

/** A host below a public suffix: Chromium refuses names of other kinds below its roots. */
const PUBLIC_HOST = 'odd.example.com';

/** What Chromium and Certlantern say about the certificate of a public authority. */
export interface TransparencyOutcome {
  scenario: string;
  line: string;
  /** Why our answer is wrong; null if it is right. */
  fault: string | null;
}

/**
 * Starts a Chromium that demands SCTs, with the roots and logs of the tests as those of its public program. Debian's builds do so only with
 * this feature. @throws Error if it does not take over the roots and logs in time
 */
export async function startStrictChromium(folder: string, roots: Roots): Promise<RunningClient> {
  mkdirSync(folder, { recursive: true });
  writePkiMetadata(join(folder, 'profile'), [roots.ecdsa], LISTED_LOGS);
  const client = await startChromium(folder, {
    args: ['--no-sandbox', '--disable-sync', '--enable-features=CertificateTransparencyAskBeforeEnabling'],
    // Without its component updater, Chromium does not read components.
    ignoreDefaultArgs: ['--disable-component-update', '--disable-background-networking'],
  });
  const [good, , none] = TRANSPARENCY_SCENARIOS;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    // Chromium reads its components when it has nothing else to do.
    await setTimeout(PAUSE_MS);
    if ((await accepts(client, good, roots)) && !(await accepts(client, none, roots))) return client;
  }
  await client.stop();
  throw new Error('Chromium does not use the roots and logs of the tests');
}

const PAUSE_MS = 2_000;
const MAX_TRIES = 30;

async function accepts(
  client: RunningClient,
  scenario: TransparencyScenario | undefined,
  roots: Roots,
): Promise<boolean> {
  if (scenario === undefined) throw new Error('no such scenario');
  const server = await startServer(scenario, roots);
  try {
    return (await client.connect(PUBLIC_HOST, server.port)) === null;
  } finally {
    await server.stop();
  }
}

/** Asks Chromium and Certlantern whether they accept the certificate of a scenario. */
export async function compareTransparency(
  scenario: TransparencyScenario,
  roots: Roots,
  client: RunningClient,
): Promise<TransparencyOutcome> {
  const server = await startServer(scenario, roots);
  try {
    const answer = await client.connect(PUBLIC_HOST, server.port);
    const verdict = await verdictAt(PUBLIC_HOST, server.port, roots, {
      arePublic: true,
      logLists: LOG_LISTS,
    });
    const policy = verdict.transparency?.policies.find((one) => one.client === 'chromium');
    const connects = connectingClients(verdict, 'https').find((one) => one.client === 'chromium')?.connects;
    // No server of these sends SCTs in the handshake, so what is not known to be enough is not enough.
    const ours = connects === true && policy?.outcome === 'met' ? 'accepted' : 'refused';
    const theirs = answer === null ? 'accepted' : 'refused';
    const words = `Chromium: ${answer ?? theirs}; we: ${policy?.outcome ?? 'no policy'}, ${connects ? 'connects' : 'refused'}`;
    const fault = ours === theirs ? null : `${ours} by us, ${theirs} by Chromium`;
    return {
      scenario: `timestamps: ${scenario.name}`,
      line: `${answer === null ? '·' : '✗'}  ${scenario.name} (${words})${fault === null ? '' : `\n    FAULT: ${fault}`}`,
      fault,
    };
  } finally {
    await server.stop();
  }
}

const LOG_LISTS = (() => {
  const list = parseLogList(Buffer.from(logListJson(LISTED_LOGS, Date.now())), Date.now());
  if ('problem' in list) throw new Error(list.problem);
  return { google: list, apple: 'off' as const };
})();

async function startServer({ mint, staple }: TransparencyScenario, roots: Roots): Promise<Peer> {
  const authority = roots.ecdsa.intermediate();
  const leaf = mint(authority, PUBLIC_HOST);
  const server = await serve(
    { mint: () => withChain(leaf), ...(staple && { staple: () => staple(leaf, authority) }) },
    roots,
  );
  if (server === null) throw new Error(`OpenSSL does not serve the certificate: ${leaf.fingerprint}`);
  return server;
}
