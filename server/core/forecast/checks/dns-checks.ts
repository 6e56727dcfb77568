import { oneLine } from '../../one-line.ts';
import { rulesOf } from '../../rules/dated-rules.ts';
import type { DnsAnswer, NameEvidence, ValidationMethod } from '../evidence.ts';
import type { ForecastCheck } from '../forecast.ts';
import {
  ADDRESS_METHODS,
  aliasesOf,
  type CheckInput,
  eachName,
  general,
  isAbsent,
  isWildcard,
  type NameVerdict,
  recordsOf,
  unanswered,
} from './check-input.ts';

const isEmpty = (answer: DnsAnswer<string>): boolean => recordsOf(answer).length === 0;

const VALIDATED_SINCE = rulesOf('dnssec_validation')[0]?.start ?? Infinity;

/**
 * Returns whether DNSSEC stops CAs. If CAA answers have wrong signatures, no CA may issue (Baseline Requirements §3.2.2.8.1). Wrong signatures of
 * other answers stop the methods that need these answers (§3.2.2.4).
 */
export function checkDnssec(input: CheckInput): ForecastCheck[] {
  const stoppedMethods = (one: NameEvidence): ValidationMethod[] => {
    const stopped: ValidationMethod[] = [];
    const families = [one.ipv4, one.ipv6];
    // A CA that gets the addresses of one family uses these (boulder/bdns/dns.go, LookupHost).
    if (families.some((answer) => unanswered(answer) === 'bogus') && families.every(isEmpty))
      stopped.push(...ADDRESS_METHODS);
    if (unanswered(one.challenge) === 'bogus') stopped.push('dns-01');
    if (unanswered(one.persist) === 'bogus') stopped.push('dns-persist-01');
    return stopped;
  };
  const bogus = eachName('dnssec', input, (one) => {
    const step = one.caa.find(({ answer }) => unanswered(answer) === 'bogus');
    const isRequired = input.expectedAt >= VALIDATED_SINCE;
    if (step !== undefined)
      return {
        state: isRequired ? 'fails' : 'warns',
        reason: 'bogus',
        values: { domain: oneLine(step.domain) },
      };
    const stopped = stoppedMethods(one);
    return stopped.length === 0 ? null : { state: 'depends', reason: 'bogus_records', methods: stopped };
  });
  if (bogus.length > 0) return bogus;
  if (!input.evidence.resolverValidates) return general('dnssec', { state: 'not_known', reason: 'resolver' });
  const answers = input.evidence.names.flatMap(({ caa }) => caa.map(({ answer }) => answer));
  const isSecure =
    answers.length > 0 &&
    answers.every((answer) => answer.outcome !== 'no_answer' && answer.security === 'secure');
  return general('dnssec', { state: 'passes', reason: isSecure ? 'secure' : 'no_errors' });
}

/**
 * Returns whether every name exists. A CA validates each name of an order, so one missing name stops the whole order. For http-01 and
 * tls-alpn-01 it connects to the name, which needs an address (RFC 8555 §8.3, RFC 8737 §3). For dns-01 the name itself need not exist.
 */
export function checkNames(input: CheckInput): ForecastCheck[] {
  const { names, unread } = input.evidence;
  if (names.length === 0) return general('names', { state: 'not_known', reason: 'no_names' });
  const checks = eachName('names', input, judgeName);
  if (unread === 0) return checks;
  const rest = general('names', { state: 'not_known', reason: 'unread', values: { count: unread } });
  return [...checks.filter(({ state }) => state !== 'passes'), ...rest];
}

function judgeName({ name, zone, ipv4, ipv6 }: NameEvidence): NameVerdict | null {
  if (zone === 'gone') return { state: 'fails', reason: 'zone_gone' };
  if (isWildcard(name)) return zone === 'not_known' ? null : { state: 'passes', reason: 'found' };
  const families = [ipv4, ipv6];
  if (families.some((answer) => recordsOf(answer).length > 0)) return { state: 'passes', reason: 'found' };
  const methods = ADDRESS_METHODS;
  const failures = families.map(unanswered).filter((why) => why !== null);
  if (failures.includes('alias_limit')) return { state: 'depends', reason: 'alias_limit', methods };
  // `checkDnssec` reports these.
  if (failures.includes('bogus')) return null;
  const [why] = failures;
  if (why !== undefined) return { state: 'not_known', reason: 'no_answer', methods, values: { why } };
  if (families.some(({ outcome }) => outcome === 'records'))
    return { state: 'depends', reason: 'no_public_address', methods };
  if (families.some(({ outcome }) => outcome === 'no_name'))
    return { state: 'depends', reason: 'no_name', methods };
  if (families.some(isAbsent)) return { state: 'depends', reason: 'no_address', methods };
  return { state: 'not_known', reason: 'not_asked', methods };
}

/**
 * Returns whether dns-01 is possible. The CA reads TXT records of `_acme-challenge`, and follows aliases into the zone that they lead to
 * (RFC 8555 §8.4). Between renewals there usually are no records, so only a missing zone at the end of the aliases, or a loop, is a fault.
 */
export function checkDnsChallenge(input: CheckInput): ForecastCheck[] {
  return eachName('dns', input, ({ challenge, challengeZone }) => {
    const methods: ValidationMethod[] = ['dns-01'];
    const why = unanswered(challenge);
    if (why === 'alias_limit') return { state: 'depends', reason: 'alias_limit', methods };
    if (why === 'bogus' || why === 'budget') return null;
    if (why !== null) return { state: 'not_known', reason: 'no_answer', methods, values: { why } };
    const target = aliasesOf(challenge).at(-1);
    if (target === undefined) return { state: 'passes', reason: 'plain', methods };
    const values = { target: oneLine(target) };
    return challengeZone === 'gone'
      ? { state: 'depends', reason: 'target_gone', methods, values }
      : { state: 'passes', reason: 'delegated', methods, values };
  });
}
