import { isIP } from 'node:net';
import { isLocalName } from '../address-policy.ts';
import type { TimeLimit } from '../with-timeout.ts';
import { askServer, type NameServer } from './dns-exchange.ts';
import { createRootCheck } from './validation-check.ts';
import { type CaaRecord, type DnsQuestion, type DnsRecord, type DnsResponse, RCODE } from './dns-message.ts';

/** Whether DNSSEC protects an answer. `not_known`: the answer is not from a trusted resolver that is known to validate. */
export type DnsSecurity = 'secure' | 'insecure' | 'not_known';

/**
 * Why a question has no answer. `bogus`: the resolver fails (SERVFAIL) unless it need not validate (CD=1), so the signatures are wrong.
 * `servfail`: it fails either way. `refused`: also for local names and IP addresses, which are never asked. `timeout`: also if the signal aborted.
 * `alias_limit`: more than 8 aliases, or a loop. `resolver`: the resolver denies that the root exists, so we believe no denial of it.
 */
export type NoDnsAnswer =
  'bogus' | 'servfail' | 'refused' | 'timeout' | 'malformed' | 'alias_limit' | 'resolver';

/**
 * The answer to a question, after aliases (CNAME, DNAME). `no_data`: the name exists without such a record. `no_name`: the name does not
 * exist (NXDOMAIN); with aliases, the name that they lead to. `aliases`: the names that the aliases lead to, in order.
 */
export type DnsAnswer<Found> =
  | { outcome: 'records'; records: Found[]; aliases: string[]; security: DnsSecurity }
  | { outcome: 'no_data' | 'no_name'; aliases: string[]; security: DnsSecurity }
  | { outcome: 'no_answer'; why: NoDnsAnswer };

export type AnyAnswer = DnsAnswer<string | CaaRecord>;

/** An answer with what the cache needs to know. */
export interface LookedUp {
  answer: AnyAnswer;
  /** null for a question without an answer. */
  ttlSeconds: number | null;
  /** Size of the responses, in bytes. */
  size: number;
}

export interface LookupOptions {
  currentServers: () => readonly NameServer[];
  /** Returns whether a server is trusted and known to validate. */
  validates: (server: NameServer, signal: AbortSignal) => Promise<boolean>;
  /** Current time, ms UTC. */
  now: () => number;
  /** How long we wait for a response in each round, ms. */
  triesMs: readonly number[];
}

const ROOT: DnsQuestion = { name: '', type: 'SOA' };
const MAX_ALIASES = 8;
const MAX_NAME_LENGTH = 253;

/** Creates a lookup that asks for a name, and again for the target of its aliases if a response does not have its records. */
export function createLookup({
  currentServers,
  validates,
  now,
  triesMs,
}: LookupOptions): (question: DnsQuestion, signal: AbortSignal) => Promise<LookedUp> {
  const securityOf = async ({ server, response }: Reply, signal: AbortSignal): Promise<DnsSecurity> => {
    if (response.isAuthoritative || !(await validates(server, signal))) return 'not_known';
    return response.isAuthentic ? 'secure' : 'insecure';
  };

  const ms = triesMs.at(-1) ?? 0;
  const never = new AbortController().signal;
  const deniesRoot = createRootCheck(now, async (server) => {
    const received = await askWithRetry(server, ROOT, { ms, signal: never });
    return typeof received === 'string' ? received : follow(received.answers, ROOT).records;
  });

  return async (question, signal) => {
    const isUnwell = (server: NameServer): Promise<boolean> => deniesRoot(server, { ms, signal });
    const aliases: string[] = [];
    let security: DnsSecurity = 'secure';
    let ttlSeconds = Number.POSITIVE_INFINITY;
    let size = 0;
    const ask = (one: DnsQuestion): Promise<Reply | NoDnsAnswer> =>
      askAll(currentServers(), one, { triesMs, isUnwell, signal });
    for (;;) {
      const asked = { ...question, name: aliases.at(-1) ?? question.name };
      const refusal = refusalOf(asked.name);
      if (refusal !== null) return failed(refusal, size);
      const reply = await ask(asked);
      if (reply === 'servfail' && (await isAliasLoop(asked.name, ask))) return failed('alias_limit', size);
      if (typeof reply === 'string') return failed(reply, size);
      const { response } = reply;
      size += response.size;
      security = weaker(security, await securityOf(reply, signal));
      const found = follow(response.answers, asked);
      aliases.push(...found.aliases);
      ttlSeconds = Math.min(ttlSeconds, found.ttlSeconds);
      const isLoop = new Set([question.name, ...aliases]).size <= aliases.length;
      if (isLoop || aliases.length > MAX_ALIASES) return failed('alias_limit', size);
      const common = { aliases, security };
      if (found.records.length > 0)
        return { answer: { outcome: 'records', records: found.records, ...common }, ttlSeconds, size };
      // A response may end at an alias, with neither the records of its target nor the SOA record that shows their absence.
      const isPartial = response.rcode === RCODE.noError && response.negativeTtlSeconds === null;
      if (found.aliases.length > 0 && isPartial) continue;
      if (await isUnwell(reply.server)) return failed('resolver', size);
      const outcome = response.rcode === RCODE.noName ? 'no_name' : 'no_data';
      ttlSeconds = Math.min(ttlSeconds, response.negativeTtlSeconds ?? 0);
      return { answer: { outcome, ...common }, ttlSeconds, size };
    }
  };
}

/**
 * Returns why we must not ask about a name; null if we may. Local names and IP addresses must not leak to outside name servers. Names are ASCII,
 * and every label has 1 to 63 characters.
 */
function refusalOf(name: string): NoDnsAnswer | null {
  if (isIP(name) !== 0 || isLocalName(name)) return 'refused';
  const isName =
    name.length <= MAX_NAME_LENGTH && name.split('.').every((label) => /^[!-~]{1,63}$/.test(label));
  return isName ? null : 'malformed';
}

/**
 * Returns whether the aliases of a name form a loop, or are more than 8. Resolvers answer SERVFAIL then, and show each alias only if asked for
 * its CNAME record.
 */
async function isAliasLoop(
  name: string,
  ask: (question: DnsQuestion) => Promise<Reply | NoDnsAnswer>,
): Promise<boolean> {
  const names = new Set([name]);
  for (let last = name; names.size <= MAX_ALIASES + 1; names.add(last)) {
    const question = { name: last, type: 'CNAME' } as const;
    const reply = await ask(question);
    const [target] = typeof reply === 'string' ? [] : follow(reply.response.answers, question).records;
    if (typeof target !== 'string' || refusalOf(target) !== null) return false;
    if (names.has(target)) return true;
    last = target;
  }
  return true;
}

function failed(why: NoDnsAnswer, size: number): LookedUp {
  return { answer: { outcome: 'no_answer', why }, ttlSeconds: null, size };
}

const ORDER: readonly DnsSecurity[] = ['secure', 'insecure', 'not_known'];
const weaker = (left: DnsSecurity, right: DnsSecurity): DnsSecurity =>
  ORDER.indexOf(left) < ORDER.indexOf(right) ? right : left;

interface Reply {
  server: NameServer;
  response: DnsResponse;
}

/** Asks the servers one after the other until one answers; in a second round, those again that did not respond. */
async function askAll(
  servers: readonly NameServer[],
  question: DnsQuestion,
  {
    triesMs,
    isUnwell,
    signal,
  }: {
    triesMs: readonly number[];
    isUnwell: (server: NameServer) => Promise<boolean>;
    signal: AbortSignal;
  },
): Promise<Reply | NoDnsAnswer> {
  let why: NoDnsAnswer = 'timeout';
  let silent = servers;
  for (const ms of triesMs) {
    const stillSilent: NameServer[] = [];
    for (const server of silent) {
      if (signal.aborted) return 'timeout';
      const received = await askWithRetry(server, question, { ms, signal });
      if (received === 'bogus') return (await isUnwell(server)) ? 'resolver' : 'bogus';
      if (typeof received === 'object') return { server, response: received };
      if (received === 'timeout' || received === 'malformed') stillSilent.push(server);
      if (WORST.indexOf(received) > WORST.indexOf(why)) why = received;
    }
    silent = stillSilent;
  }
  return why;
}

/** From the least to the most telling reason. */
const WORST: readonly NoDnsAnswer[] = ['timeout', 'malformed', 'refused', 'servfail'];

/**
 * Asks one server. After SERVFAIL it asks without validation (CD=1, RFC 4035 §3.2.2). If that succeeds, it asks with validation once more,
 * because the first failure may have been a timeout of the resolver.
 */
async function askWithRetry(
  server: NameServer,
  question: DnsQuestion,
  limit: TimeLimit,
): Promise<DnsResponse | Exclude<NoDnsAnswer, 'alias_limit' | 'resolver'>> {
  const ask = async (disableChecking: boolean) =>
    judgeResponse(await askServer(server, question, { disableChecking, limit }));
  const first = await ask(false);
  if (first !== 'servfail' || typeof (await ask(true)) === 'string') return first;
  const second = await ask(false);
  return second === 'servfail' ? 'bogus' : second;
}

/** Returns a response that answers the question, or why it does not. */
function judgeResponse(
  response: Awaited<ReturnType<typeof askServer>>,
): DnsResponse | 'servfail' | 'refused' | 'timeout' | 'malformed' {
  if (typeof response === 'string') return response;
  if (response.rcode === RCODE.servFail) return 'servfail';
  if (response.rcode !== RCODE.noError && response.rcode !== RCODE.noName) return 'refused';
  // A server that is neither a resolver nor authoritative answers with a referral.
  const isReferral = !response.offersRecursion && !response.isAuthoritative && response.answers.length === 0;
  return isReferral ? 'refused' : response;
}

/** Follows the aliases in an answer section and returns the records at their end. Ends at the 9th alias. */
function follow(
  answers: readonly DnsRecord[],
  { name, type }: DnsQuestion,
): { records: (string | CaaRecord)[]; aliases: string[]; ttlSeconds: number } {
  const aliases: string[] = [];
  let owner = name;
  let ttlSeconds = Number.POSITIVE_INFINITY;
  while (aliases.length <= MAX_ALIASES) {
    const found = answers.filter((record) => record.name === owner && record.type === type);
    if (found.length > 0) {
      const records = found.map(({ value }) => value);
      return {
        records,
        aliases,
        ttlSeconds: Math.min(ttlSeconds, ...found.map((record) => record.ttlSeconds)),
      };
    }
    const alias = aliasOf(owner, answers);
    if (alias === null) break;
    aliases.push(alias.target);
    ttlSeconds = Math.min(ttlSeconds, alias.ttlSeconds);
    owner = alias.target;
  }
  return { records: [], aliases, ttlSeconds };
}

/** Returns the target of a CNAME record of the name, or of a DNAME record above it (RFC 6672 §2.2). */
function aliasOf(
  owner: string,
  answers: readonly DnsRecord[],
): { target: string; ttlSeconds: number } | null {
  for (const { type, name, value, ttlSeconds } of answers)
    if (type === 'CNAME' && name === owner && typeof value === 'string') return { target: value, ttlSeconds };
  for (const { type, name, value, ttlSeconds } of answers)
    if (type === 'DNAME' && owner.endsWith(`.${name}`) && typeof value === 'string')
      return { target: owner.slice(0, -name.length) + value, ttlSeconds };
  return null;
}
