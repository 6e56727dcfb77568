import type { Observation } from '../../server/core/observation.ts';
import { judge } from '../../server/core/judge/judge.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { loadTrustStore } from '../../server/probe/examiner.ts';
import { createProbe } from '../../server/probe/probe.ts';
import { NO_SOURCES } from '../../tests/kit/product/stand-ins.ts';
import { type ClientRound, type ClientStart, HOST, UNSEEN_PER_ROUND, type WebPorts } from './protocol.ts';

// The measured process runs only checks. The server, the report and the other clients run in other processes.

const CONCURRENCY = 16;
const ROUND_CHECKS = 800;
const WEB_CHECKS = 480;
/**
 * Number of consecutive checks of one website before the next website's turn. Short turns let other load on the machine
 * affect all websites alike.
 */
const WEB_TURN = 40;
const WARM_UP_CHECKS = 500;

const policy = createAddressPolicy(['127.0.0.1/32']);
// Returns a fixed address, because openssl s_time resolves no name either.
const resolver = { resolve: () => Promise.resolve({ ok: true as const, addresses: ['127.0.0.1'] }) };
const probe = createProbe({ resolver, policy, now: Date.now, sources: NO_SOURCES });
const { signal } = new AbortController();

process.once('message', (start: ClientStart) => void serve(start));

async function serve({ port, rootPem, unseen, intermediate, web }: ClientStart): Promise<void> {
  const trustStore = loadTrustStore(rootPem);

  const tls = { host: HOST, port, protocol: 'tls' } as const;
  const websites = (['none', 'http1', 'http2'] as const).map((kind) => {
    const endpoint = { host: HOST, port: web[kind], protocol: 'https' } as const;
    return { kind, endpoint };
  });
  const check = async (
    endpoint: Observation['endpoint'] = tls,
    look: 'observeWithOwnClient' | 'observe' = 'observeWithOwnClient',
  ): Promise<Observation> => {
    const observation = await probe[look](endpoint, { signal, trustStore, withPosture: false });
    if (observation === null) throw new Error('our own TLS client found the bench’s own server unusual');
    const verdict = judge(observation, Date.now(), trustStore);
    if (!verdict.trusted)
      throw new Error(`the bench's own server is not trusted: ${JSON.stringify(verdict)}`);
    if (endpoint.protocol === 'https' && observation.http?.outcome !== 'answered')
      throw new Error(`the bench's own website gave no answer: ${JSON.stringify(observation.http)}`);
    return observation;
  };
  const checks = async (count: number, ...asked: Parameters<typeof check>): Promise<void> => {
    let left = count;
    const runWorker = async (): Promise<void> => {
      while (left-- > 0) await check(...asked);
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, runWorker));
  };

  const known = await check();
  const leaves = unseen.map((leaf) => observationOf(known, [leaf, intermediate]));
  await checks(WARM_UP_CHECKS);
  await checks(WARM_UP_CHECKS, tls, 'observe');
  for (const { endpoint } of websites) await checks(WARM_UP_CHECKS, endpoint);

  const round = async (): Promise<ClientRound> => {
    const checkMicroseconds = await cpuPer(ROUND_CHECKS, () => checks(ROUND_CHECKS));
    const opensslMicroseconds = await cpuPer(ROUND_CHECKS, () => checks(ROUND_CHECKS, tls, 'observe'));
    const fresh = leaves.splice(0, UNSEEN_PER_ROUND);
    const now = Date.now();
    const judgeAll = (observations: readonly Observation[]) => () => {
      for (const observation of observations) judge(observation, now, trustStore);
    };
    const judgeUnseenMicroseconds = await cpuPer(fresh.length, judgeAll(fresh));
    const judgeKnownMicroseconds = await cpuPer(fresh.length, judgeAll(fresh));
    const webMicroseconds: Record<keyof WebPorts, number> = { none: 0, http1: 0, http2: 0 };
    for (let done = 0; done < WEB_CHECKS; done += WEB_TURN)
      for (const { kind, endpoint } of websites)
        webMicroseconds[kind] += await cpuPer(WEB_CHECKS, () => checks(WEB_TURN, endpoint));
    return {
      checks: 2 * ROUND_CHECKS + WEB_CHECKS * websites.length,
      checkMicroseconds,
      opensslMicroseconds,
      judgeKnownMicroseconds,
      judgeUnseenMicroseconds,
      webMicroseconds,
    };
  };

  process.on('message', () => {
    void round().then((result) => process.send?.(result));
  });
  process.send?.('ready');
}

function observationOf(known: Observation, chain: readonly string[]): Observation {
  const presentedChain = chain.map((der) => new Uint8Array(Buffer.from(der, 'base64')));
  return {
    ...known,
    addresses: known.addresses.map((address) =>
      address.outcome === 'handshake' ? { ...address, presentedChain } : address,
    ),
  };
}

async function cpuPer(count: number, work: () => void | Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}
