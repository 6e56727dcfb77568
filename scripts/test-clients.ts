import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BROWSERS } from '../tests/clients/browsers.ts';
import type { ClientKind } from '../tests/clients/client.ts';
import { COMMAND_LINE_CLIENTS, CRL_CLIENTS } from '../tests/clients/command-line-clients.ts';
import { compareCrl, type CrlOutcome } from '../tests/clients/compare-crls.ts';
import { CRL_SCENARIOS } from '../tests/clients/crl-scenarios.ts';
import {
  allRoots,
  compare,
  formatOutcome,
  type Outcome,
  type StartedClient,
} from '../tests/clients/compare.ts';
import { startIssuerServer } from '../tests/clients/issuer-server.ts';
import { HOST, mintRoots, type Scenario } from '../tests/clients/scenario.ts';
import { SCENARIOS } from '../tests/clients/scenarios.ts';
import {
  compareTransparency,
  startStrictChromium,
  type TransparencyOutcome,
} from '../tests/clients/compare-transparency.ts';
import { TRANSPARENCY_SCENARIOS } from '../tests/clients/transparency-scenarios.ts';
import { installPackages } from '../tests/kit/machine/debian-package.ts';
import { answerHelp } from './help-option.ts';

answerHelp(`Compares our verdict with Node.js and eight clients from Debian's packages: each connects to servers with odd certificates on
loopback ports. Fails if a client refuses a server and we report nothing, or if we report a server as critical and every client
connects to it. Two more clients check the CRLs of servers whose CRL is odd, and a Chromium with a root store and a log list of the tests
checks certificate timestamps. It is not part of npm test, because it installs packages.

  npm run test:clients                  all servers
  npm run test:clients -- keyUsage      those whose description has this word
  npm run test:clients -- timestamps    those with odd certificate timestamps`);

const CLIENTS: readonly ClientKind[] = [...BROWSERS, ...COMMAND_LINE_CLIENTS];
const word = process.argv[2] ?? '';
const isWanted = ({ name }: { name: string }): boolean => name.toLowerCase().includes(word.toLowerCase());
const scenarios = SCENARIOS.filter(isWanted);
const crlScenarios = CRL_SCENARIOS.filter(isWanted);
const isAboutTimestamps = 'timestamps'.includes(word.toLowerCase());
const transparencyScenarios = TRANSPARENCY_SCENARIOS.filter((one) => isAboutTimestamps || isWanted(one));
const issuers = await startIssuerServer();
const roots = mintRoots(issuers.port);
const folder = mkdtempSync(join(tmpdir(), 'certlantern-clients-'));
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort());

const started: StartedClient[] = [];
const outcomes: (Outcome | CrlOutcome | TransparencyOutcome)[] = [];
try {
  installPackages([...CLIENTS, ...CRL_CLIENTS].flatMap(({ packages }) => packages));
  if (scenarios.length > 0) for (const kind of CLIENTS) started.push(await start(kind));
  for (const scenario of scenarios) if (!stop.signal.aborted) await show(scenario);
  const withCrls: StartedClient[] = [];
  if (crlScenarios.length > 0) for (const kind of CRL_CLIENTS) withCrls.push(await start(kind));
  started.push(...withCrls);
  for (const scenario of crlScenarios) {
    if (stop.signal.aborted) break;
    const outcome = await compareCrl(scenario, roots, withCrls);
    outcomes.push(outcome);
    print(outcome.line);
  }
  if (transparencyScenarios.length > 0 && !stop.signal.aborted) await compareTimestamps();
} finally {
  for (const client of started) await client.stop();
  await issuers.stop();
  rmSync(folder, { recursive: true, force: true });
}
const faults = outcomes.filter(({ fault }) => fault !== null);
print(
  `${outcomes.length} servers, ${faults.length} faults${faults.map(({ scenario }) => `\n  ${scenario}`).join('')}`,
);
process.exit(stop.signal.aborted || faults.length > 0 ? 1 : 0);

async function start(kind: ClientKind): Promise<StartedClient> {
  const own = join(folder, kind.name);
  mkdirSync(own);
  const rootsFile = join(own, 'roots.pem');
  const pems = allRoots(roots).map(({ certificatePem }) => certificatePem);
  writeFileSync(rootsFile, pems.join(''));
  const hosts = [...new Set(scenarios.map(({ host = HOST }: Scenario) => host))];
  const client = await kind.start({ folder: own, rootsFile, hosts });
  print(`${started.length + 1}  ${kind.name}: ${client.version}`);
  return { ...client, kind };
}

async function compareTimestamps(): Promise<void> {
  const client = await startStrictChromium(join(folder, 'Chromium with timestamps'), roots);
  try {
    print(`Chromium that demands certificate timestamps: ${client.version}`);
    for (const scenario of transparencyScenarios) {
      if (stop.signal.aborted) break;
      const outcome = await compareTransparency(scenario, roots, client);
      outcomes.push(outcome);
      print(outcome.line);
    }
  } finally {
    await client.stop();
  }
}

async function show(scenario: Scenario): Promise<void> {
  const outcome = await compare(scenario, roots, started);
  if (outcome === null) {
    print(`not served by OpenSSL: ${scenario.name}`);
    return;
  }
  outcomes.push(outcome);
  print(formatOutcome(outcome));
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
