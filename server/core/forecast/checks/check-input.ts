import type { CaIdentity } from '../ca-identifiers.ts';
import type {
  DnsAnswer,
  ForecastContext,
  ForecastEvidence,
  NameEvidence,
  NoDnsAnswer,
  ValidationMethod,
} from '../evidence.ts';
import type { ForecastCheck, ForecastCheckCode } from '../forecast.ts';

/** What every check of a forecast gets. */
export interface CheckInput {
  evidence: ForecastEvidence;
  context: ForecastContext;
  /** The CA of today's certificate; null if we do not know it. */
  ca: CaIdentity | null;
  /** When we expect the renewal, ms UTC. */
  expectedAt: number;
}

/** What a check found for one name. */
export interface NameVerdict {
  state: ForecastCheck['state'];
  reason: string;
  /** The methods that the verdict rules out, or whose success is not known. */
  methods?: readonly ValidationMethod[];
  values?: ForecastCheck['values'];
}

/** Methods for which the CA connects to the host. */
export const ADDRESS_METHODS: readonly ValidationMethod[] = ['http-01', 'tls-alpn-01'];
export const DNS_METHODS: readonly ValidationMethod[] = ['dns-01', 'dns-persist-01'];

export const isWildcard = (name: string): boolean => name.startsWith('*.');
/** Returns the name that is looked up in DNS: wildcards are validated for the domain above (RFC 8555 §7.1.3). */
export const baseName = (name: string): string => (isWildcard(name) ? name.slice(2) : name);

/** Returns the verdicts as checks, one for each distinct verdict. `passes` is left out if another verdict is worse. */
export function grouped(
  code: ForecastCheckCode,
  verdicts: readonly { name: string | null; verdict: NameVerdict }[],
): ForecastCheck[] {
  const checks = new Map<string, ForecastCheck>();
  for (const { name, verdict } of verdicts) {
    const { state, reason, methods = [], values = {} } = verdict;
    const key = state === 'passes' ? `passes ${reason}` : JSON.stringify([state, reason, methods, values]);
    const check = checks.get(key) ?? { code, state, methods: [...methods], names: [], reason, values };
    if (name !== null && !check.names.includes(name)) check.names.push(name);
    checks.set(key, check);
  }
  const all = [...checks.values()];
  const worse = all.filter(({ state }) => state !== 'passes');
  return worse.length > 0 ? worse : all;
}

/** Returns one check that concerns no name in particular. */
export const general = (code: ForecastCheckCode, verdict: NameVerdict): ForecastCheck[] =>
  grouped(code, [{ name: null, verdict }]);

/** Returns why a DNS question has no answer; null if it has one, or if it was not asked. */
export function unanswered(answer: DnsAnswer<unknown>): Exclude<NoDnsAnswer, 'not_asked'> | null {
  return answer.outcome === 'no_answer' && answer.why !== 'not_asked' ? answer.why : null;
}

/** Returns the records of an answer; none if it has no records. */
export function recordsOf<Found>(answer: DnsAnswer<Found>): readonly Found[] {
  return answer.outcome === 'records' ? answer.records : [];
}

/** Returns the aliases that led to an answer. */
export const aliasesOf = (answer: DnsAnswer<unknown>): readonly string[] =>
  answer.outcome === 'no_answer' ? [] : answer.aliases;

/** Returns whether an answer says that there is no such record. */
export const isAbsent = ({ outcome }: DnsAnswer<unknown>): boolean =>
  outcome === 'no_data' || outcome === 'no_name';

/** Applies a check to each name of the certificate. `judge` returns null if it says nothing about a name. */
export function eachName(
  code: ForecastCheckCode,
  { evidence }: CheckInput,
  judge: (name: NameEvidence) => NameVerdict | null,
): ForecastCheck[] {
  return grouped(
    code,
    evidence.names.flatMap((one) => {
      const verdict = judge(one);
      return verdict === null ? [] : [{ name: one.name, verdict }];
    }),
  );
}
