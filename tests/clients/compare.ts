import { type Client, CLIENT_NAMES, isProblem } from '../../contract/check-words.ts';
import type { Severity } from '../../server/core/findings/definition.ts';
import { connectingClients } from '../../server/core/judge/clients/refusals.ts';
import { judge } from '../../server/core/judge/judge.ts';
import { NO_LOG_LISTS } from '../../server/core/judge/transparency.ts';
import { describeVerdict } from '../../server/core/report/describe-finding.ts';
import type { Verdict } from '../../server/core/verdict.ts';
import { refusingSince } from '../../server/core/findings/clients.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { EMPTY_DNS } from '../kit/peers/sources.ts';
import type { Resolver } from '../../server/egress/resolver.ts';
import { createTrustStore } from '../../server/pki/trust-store.ts';
import { WorkBudget } from '../../server/pki/work-budget.ts';
import { createProbe } from '../../server/probe/probe.ts';
import { createSources } from '../../server/probe/sources/create-sources.ts';
import { type Peer, startTlsServer } from '../kit/peers/tls-server.ts';
import type { MintedAuthority } from '../kit/certificates/mint.ts';
import type { ClientKind, RunningClient } from './client.ts';
import { EXCEPTIONS } from './exceptions.ts';
import { HOST, type Roots, type Scenario } from './scenario.ts';

export interface StartedClient extends RunningClient {
  kind: ClientKind;
}

/** What every client and Certlantern say about one server. */
export interface Outcome {
  scenario: string;
  /** For each client, its error message if it refuses the server, null if it connects. */
  clients: ReadonlyMap<ClientKind, string | null>;
  ours: {
    /** The worst severity that we found; `unread` if we read no certificate, null if we found nothing. */
    worst: Severity | 'unread' | null;
    messages: readonly string[];
    /** The clients of which we say that they refuse the server. */
    refusing: ReadonlySet<Client>;
    /** Returns those of the given clients that, as we say, refuse the server only in later versions. Debian may not have these yet. */
    refusingLater: ReadonlySet<Client>;
  };
  /** Why our answer is wrong; null if it is right, or if an exception explains it. */
  fault: string | null;
  /** The reason of the exception that explains our answer; null if there is none. */
  exception: string | null;
}

/** Starts the server of a scenario, and asks every client and Certlantern about it. Returns null if OpenSSL cannot serve it. */
export async function compare(
  scenario: Scenario,
  roots: Roots,
  clients: readonly StartedClient[],
): Promise<Outcome | null> {
  const { name, host = HOST } = scenario;
  const server = await serve(scenario, roots);
  if (server === null) return null;
  try {
    const answers = await Promise.all(
      clients.map(async (client) => [client.kind, await client.connect(host, server.port)] as const),
    );
    const ours = await ourVerdict(host, server.port, roots, scenario.needsPosture);
    const wrong = faultOf(
      answers.map(([, words]) => words),
      ours.worst,
    );
    const exception = wrong === null ? null : (EXCEPTIONS[name] ?? null);
    return {
      scenario: name,
      clients: new Map(answers),
      ours,
      fault: exception === null ? wrong : null,
      exception,
    };
  } finally {
    await server.stop();
  }
}

/** Starts the server of a scenario. Returns null if OpenSSL cannot serve its certificates. */
export async function serve(
  { mint, start, tls, staple }: Pick<Scenario, 'mint' | 'start' | 'tls' | 'staple'>,
  roots: Roots,
): Promise<Peer | null> {
  if (start !== undefined) return start(roots);
  const [leaf, ...chain] = mint?.(roots) ?? [];
  if (leaf === undefined) throw new Error('a scenario without certificates');
  const { certificatePem, keyPem } = leaf;
  const chainPem = chain.map((link) => link.certificatePem).join('');
  const [issuer] = chain;
  const stapled = issuer === undefined ? undefined : staple?.(leaf, issuer);
  try {
    return await startTlsServer(
      { '*': { certificatePem, keyPem, chainPem } },
      {
        ciphers: 'DEFAULT@SECLEVEL=0',
        serve: (_request, response) => response.end('ok'),
        ...(stapled !== undefined && { staple: stapled }),
        ...tls,
      },
    );
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}

export const allRoots = ({ ecdsa, rsa, odd }: Roots): MintedAuthority[] => [ecdsa, rsa, ...odd.values()];

/** Checks the server of a scenario like a user's https endpoint, by default without the posture. */
export async function verdictAt(
  host: string,
  port: number,
  roots: Roots,
  { arePublic = false, withPosture = false, logLists = NO_LOG_LISTS } = {},
): Promise<Verdict> {
  const trustStore = createTrustStore(
    allRoots(roots).map(({ der }) => der),
    { arePublic },
  );
  const resolver: Resolver = { resolve: () => Promise.resolve({ ok: true, addresses: ['127.0.0.1'] }) };
  const policy = createAddressPolicy(['127.0.0.0/8'], () => []);
  const sources = createSources({ resolver, reader: EMPTY_DNS, policy, cacheFolder: null });
  const probe = createProbe({ resolver, policy, sources, now: Date.now });
  const signal = AbortSignal.timeout(30_000);
  const target = { host, port, protocol: 'https' } as const;
  const seen = await probe.observe(target, { signal, trustStore, withPosture });
  sources.close();
  return judge(seen, Date.now(), trustStore, null, new WorkBudget(), logLists);
}

async function ourVerdict(
  host: string,
  port: number,
  roots: Roots,
  withPosture?: boolean,
): Promise<Outcome['ours']> {
  const verdict = await verdictAt(host, port, roots, { withPosture });
  const { failure, findings } = describeVerdict(verdict, { host, port, protocol: 'https' });
  const worst = findings.find(isProblem)?.severity ?? null;
  return {
    worst: failure === null ? worst : 'unread',
    messages: failure === null ? findings.map(({ message }) => message) : [failure.message],
    refusing: new Set(
      connectingClients(verdict, 'https').flatMap(({ client, connects }) => (connects ? [] : [client])),
    ),
    refusingLater: new Set(
      verdict.findings.flatMap(({ facts, clients = [] }) =>
        facts.kind === 'refused_by_clients'
          ? clients.filter((client) => refusingSince(facts.rule, client) !== undefined)
          : [],
      ),
    ),
  };
}

function faultOf(answers: readonly (string | null)[], worst: Outcome['ours']['worst']): string | null {
  const refusals = answers.filter((words) => words !== null).length;
  if (refusals > 0 && worst === null) return 'silent, although a client refuses';
  if (refusals === 0 && (worst === 'critical' || worst === 'unread'))
    return `${worst}, although all clients connect`;
  return null;
}

/**
 * Formats one outcome: ✗ for each client that refuses, · for each that connects, then our severity, then any fault, exception
 * or difference.
 */
export function formatOutcome({ scenario, clients, ours, fault, exception }: Outcome): string {
  const marks = [...clients].map(([, words]) => (words === null ? '·' : '✗')).join('');
  const families = Map.groupBy(clients, ([{ family }]) => family);
  const differing = [...families].flatMap(([family, members]) => {
    const isSaid = ours.refusing.has(family);
    // Several versions of a client may run here and give different answers. Our answer must equal that of one of them.
    const agree = members.some(([, words]) => (words !== null) === isSaid) || ours.refusingLater.has(family);
    return ours.worst === 'unread' || agree
      ? []
      : [`${CLIENT_NAMES[family]} ${isSaid ? 'connects' : 'refuses'}`];
  });
  return [
    `${marks}  ${(ours.worst ?? 'fine').padEnd(8)}  ${scenario}`,
    ...(fault === null ? [] : [`    FAULT: ${fault}: ${ours.messages.join(' ')}`]),
    ...(exception === null ? [] : [`    by exception: ${exception}`]),
    ...(differing.length === 0 ? [] : [`    we say otherwise: ${differing.join(', ')}`]),
  ].join('\n');
}
