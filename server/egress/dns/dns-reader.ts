import dns from 'node:dns';
import { createSemaphore, withTimeout } from '../with-timeout.ts';
import { createAnswerCache } from './answer-cache.ts';
import { type NameServer, parseNameServer } from './dns-exchange.ts';
import { type AnyAnswer, createLookup, type DnsAnswer, type LookedUp } from './dns-lookup.ts';
import type { DnsQuestion, DnsRecords, DnsType } from './dns-message.ts';
import { createValidationCheck } from './validation-check.ts';

export interface DnsReader {
  /**
   * Asks the resolvers, or returns a cached answer. Aborting the signal ends only this caller's wait if others wait for the same answer.
   * Never rejects because of a network failure.
   */
  query<Type extends DnsType>(
    name: string,
    type: Type,
    options: { signal: AbortSignal },
  ): Promise<DnsAnswer<DnsRecords[Type]>>;
  /** Returns whether the first resolver is trusted and known to validate DNSSEC. Asks the resolver once a day. */
  validates(signal: AbortSignal): Promise<boolean>;
}

export interface DnsReaderOptions {
  /** Name servers as `ip`, `ip:port` or `[ip6]:port`; empty to use the system's name servers. */
  servers: readonly string[];
  /** Current time, ms UTC. */
  now: () => number;
  /** Time limit of a question with its aliases and retries, ms. Default: 15,000. */
  timeoutMs?: number;
  /** How long we wait for a response in the first and in the second round, ms. Default: 1,500 and 4,000. */
  triesMs?: readonly number[];
  /** A name whose SOA record is signed. It shows whether a resolver validates. Default: the root. */
  signedName?: string;
}

const TIMEOUT_MS = 15_000;
const TRIES_MS = [1_500, 4_000];
const MAX_SERVERS = 3;
const MAX_CONCURRENT = 64;
/** Maximum number of labels of a name whose parents are asked for CAA records. */
const MAX_LABELS = 32;

/**
 * Creates a reader of DNS that shows what node:dns hides: DNSSEC, all bits and tags of CAA records, and the aliases. All callers
 * share its cache, its running questions and its limit of 64 questions at a time.
 */
export function createDnsReader(options: DnsReaderOptions): DnsReader {
  const { servers, now, timeoutMs = TIMEOUT_MS, triesMs = TRIES_MS, signedName = '' } = options;
  const cache = createAnswerCache<LookedUp>(now);
  const running = new Map<string, { promise: Promise<AnyAnswer>; waiters: number; stop: AbortController }>();
  const limitConcurrency = createSemaphore(MAX_CONCURRENT);
  // `getServers` imported by name would not notice `dns.setServers` (findings/node-dns-set-servers.sh).
  const currentServers = (): NameServer[] =>
    (servers.length > 0 ? servers : dns.getServers()).slice(0, MAX_SERVERS).map(parseNameServer);
  const isTrusted = ({ address }: NameServer): boolean =>
    servers.length > 0 || address === '::1' || address.startsWith('127.');
  const isKnownToValidate = createValidationCheck({
    now,
    signedName,
    timeoutMs: triesMs.at(-1) ?? TIMEOUT_MS,
  });
  const validates = async (server: NameServer, signal: AbortSignal): Promise<boolean> =>
    isTrusted(server) && isKnownToValidate(server, signal);
  const lookUp = createLookup({ currentServers, validates, now, triesMs });

  const run = async (key: string, question: DnsQuestion, signal: AbortSignal): Promise<AnyAnswer> => {
    const found = await limitConcurrency(async () => (signal.aborted ? null : lookUp(question, signal)));
    if (found === null || signal.aborted) return TIMED_OUT;
    cache.set(key, found);
    return found.answer;
  };

  /** Joins the run of an equal question, or starts one. The run is aborted once nobody waits for it any more. */
  const share = async (key: string, question: DnsQuestion, signal: AbortSignal): Promise<AnyAnswer> => {
    let shared = running.get(key);
    if (shared === undefined) {
      const stop = new AbortController();
      const promise = run(key, question, stop.signal).finally(() => {
        if (running.get(key)?.stop === stop) running.delete(key);
      });
      shared = { promise, waiters: 0, stop };
      running.set(key, shared);
    }
    shared.waiters++;
    try {
      return await withTimeout(shared.promise, { ms: timeoutMs, signal }, TIMED_OUT);
    } finally {
      if (--shared.waiters === 0) {
        shared.stop.abort();
        if (running.get(key) === shared) running.delete(key);
      }
    }
  };

  return {
    async query<Type extends DnsType>(name: string, type: Type, { signal }: { signal: AbortSignal }) {
      const asked = name.toLowerCase().replace(/\.$/, '');
      const key = `${type} ${asked}`;
      const answer = cache.get(key)?.answer ?? (await share(key, { name: asked, type }, signal));
      // Records have the form of the type that was asked for; see `follow`.
      return answer as DnsAnswer<DnsRecords[Type]>;
    },
    async validates(signal) {
      const [server] = currentServers();
      return server !== undefined && validates(server, signal);
    },
  };
}

const TIMED_OUT: AnyAnswer = { outcome: 'no_answer', why: 'timeout' };

/**
 * Asks for the CAA records of a name and its parents, up to the first with records or without an answer (RFC 8659 §3). Returns all answers, that of
 * the name first. `ask` follows aliases. Skips top-level domains: a name of one label may be anything in the local network.
 */
export async function climbCaa<Answer extends { outcome: string }>(
  name: string,
  ask: (domain: string) => Promise<Answer>,
): Promise<{ domain: string; answer: Answer }[]> {
  const labels = name.split('.').slice(-MAX_LABELS);
  const steps: { domain: string; answer: Answer }[] = [];
  for (let start = 0; start < labels.length - 1; start++) {
    const domain = labels.slice(start).join('.');
    const answer = await ask(domain);
    steps.push({ domain, answer });
    if (answer.outcome === 'records' || answer.outcome === 'no_answer') break;
  }
  return steps;
}
