import { DAY_MS } from '../../../contract/durations.ts';
import {
  ADDRESS_METHODS,
  aliasesOf,
  type CheckInput,
  DNS_METHODS,
  isAbsent,
  isWildcard,
  recordsOf,
} from './checks/check-input.ts';
import { persistedAt } from './checks/persist-check.ts';
import { VALIDATION_METHODS, type ValidationMethod } from './evidence.ts';
import type { ForecastCheck, ForecastCheckCode } from './forecast.ts';

/** How a site may validate its names, as far as can be learned from outside. */
export interface LearnedMethods {
  /** The methods that were possible at every renewal so far. */
  candidates: readonly ValidationMethod[];
  /** The only candidate, or the method that DNS records show; null if we do not know. */
  method: ValidationMethod | null;
  /** Whether records show that the names are validated by DNS. */
  usesDns: boolean;
  /** Whether http-01 was possible when the certificate was first seen, or at an earlier renewal. */
  hadHttp: boolean;
}

/** Time after a renewal in which a forecast sees what the CA saw. */
const SEEN_BY_CA_MS = 3 * DAY_MS;

/**
 * Returns what is known about the methods of a site. A method that could not succeed at an earlier renewal is not the one that the site uses. A
 * wildcard needs DNS (Let's Encrypt, and Baseline Requirements §3.2.2.4.18 to 20).
 */
export function learnedMethods(input: CheckInput, forbidden: ReadonlySet<ValidationMethod>): LearnedMethods {
  const { context, evidence } = input;
  const { certificate, first } = context;
  const renewals = context.renewals.flatMap(({ possible }) => (possible === null ? [] : [possible]));
  const atIssue = first !== null && first.at - certificate.notBefore <= SEEN_BY_CA_MS ? [first.possible] : [];
  const hasWildcard =
    certificate.sans.some(isWildcard) || evidence.names.some(({ name }) => isWildcard(name));
  const persists = persistedAt(input, certificate.notBefore);
  const persisted = [...atIssue, ...renewals].some((possible) => possible.includes('dns-persist-01'));
  let candidates = VALIDATION_METHODS.filter((method) =>
    method === 'dns-persist-01' ? persists || persisted : !(hasWildcard && ADDRESS_METHODS.includes(method)),
  );
  for (const possible of [...atIssue, ...renewals]) {
    const left = candidates.filter((method) => possible.includes(method));
    // If none is left, the CA used a method that we cannot see: such a renewal proves nothing.
    if (left.length > 0) candidates = left;
  }
  // If CAA restricts the methods, the site uses an allowed one, unless earlier renewals show another.
  const permitted = candidates.filter((method) => !forbidden.has(method));
  if (permitted.length > 0) candidates = permitted;
  const delegates = evidence.names.some(({ challenge }) => aliasesOf(challenge).length > 0);
  const hasRecord = evidence.names.some(({ challenge }) => recordsOf(challenge).length > 0);
  const hasPrivate = evidence.names.some(
    ({ ipv4, ipv6 }) => ipv4.outcome === 'records' && recordsOf(ipv4).length + recordsOf(ipv6).length === 0,
  );
  const seen = [...renewals, ...(first === null ? [] : [first.possible])].flat();
  // Internal names exist on internal name servers only. If a method that connects was possible before, the names are gone instead.
  const isInternal =
    !ADDRESS_METHODS.some((method) => seen.includes(method)) &&
    evidence.names.every(({ ipv4, ipv6 }) => isAbsent(ipv4) && isAbsent(ipv6));
  const canConnect = candidates.some((method) => ADDRESS_METHODS.includes(method));
  const usesDns = !canConnect || persists || delegates || hasRecord || hasPrivate || isInternal;
  return {
    candidates,
    method: likelyMethod(candidates, { persists, delegates }),
    usesDns,
    hadHttp: seen.includes('http-01'),
  };
}

function likelyMethod(
  candidates: readonly ValidationMethod[],
  { persists, delegates }: { persists: boolean; delegates: boolean },
): ValidationMethod | null {
  const [only] = candidates;
  if (only !== undefined && candidates.length === 1) return only;
  if (persists && candidates.includes('dns-persist-01')) return 'dns-persist-01';
  return delegates && candidates.includes('dns-01') ? 'dns-01' : null;
}

/** What the checks say about the methods for one name. */
interface NameMethods {
  name: string;
  ruledOut: ReadonlySet<ValidationMethod>;
  /** Methods of which we do not know whether they succeed. */
  unclear: ReadonlySet<ValidationMethod>;
  /** Whether DNS gives a CA no address to connect to. */
  isUnresolvable: boolean;
  /** Whether port 80 refuses connections. A client can open it while it renews, as `certbot --standalone` does. */
  refusesHttp: boolean;
}

/** The checks that see whether DNS gives a CA an address. */
const DNS_CHECKS: ReadonlySet<string> = new Set(['names', 'dnssec'] satisfies ForecastCheckCode[]);

/** Returns what the checks say about the methods, for each name. */
export function methodsByName({ evidence }: CheckInput, checks: readonly ForecastCheck[]): NameMethods[] {
  return evidence.names.map(({ name }) => {
    const about = checks.filter(({ names }) => names.includes(name));
    const methodsIn = (state: ForecastCheck['state'], from = about) =>
      from.filter((check) => check.state === state).flatMap(({ methods }) => methods);
    const byDns = methodsIn(
      'depends',
      about.filter(({ code, reason }) => DNS_CHECKS.has(code) && reason !== 'no_public_address'),
    );
    const wildcard = isWildcard(name) ? ADDRESS_METHODS : [];
    return {
      name,
      ruledOut: new Set([...methodsIn('depends'), ...wildcard]),
      unclear: new Set(methodsIn('not_known')),
      refusesHttp: about.some(
        ({ reason, values }) => reason === 'port_closed' && values['why'] === 'refused',
      ),
      isUnresolvable: ADDRESS_METHODS.every((method) => byDns.includes(method)),
    };
  });
}

/**
 * Returns the methods that nothing rules out for any name. Port 80 is tested for watched hosts only. dns-persist-01 needs its record.
 */
export function possibleMethods(
  byName: readonly NameMethods[],
  checks: readonly ForecastCheck[],
): ValidationMethod[] {
  if (byName.length === 0 || checks.some(({ state }) => state === 'fails')) return [];
  const hasRecords = checks.some(({ code }) => code === 'persist');
  return VALIDATION_METHODS.filter(
    (method) =>
      (method !== 'dns-persist-01' || hasRecords) && byName.every(({ ruledOut }) => !ruledOut.has(method)),
  );
}

/**
 * Returns the names for which no candidate method is left, so that the order fails whatever the client does. If nothing shows validation by DNS, a
 * name without an address is one of them: the site then uses a method that connects to its names.
 */
export function unrenewableNames(
  input: CheckInput,
  byName: readonly NameMethods[],
  learned: LearnedMethods,
): Set<string> {
  const { candidates, method } = learned;
  const mustConnect = input.ca?.methods !== undefined && !learned.usesDns;
  return new Set(
    byName
      .filter(({ ruledOut, isUnresolvable, refusesHttp }) => {
        const isOpenLater = refusesHttp && !learned.hadHttp;
        const remains = (one: ValidationMethod) =>
          !ruledOut.has(one) || (one === 'http-01' && isOpenLater && !isUnresolvable);
        if (candidates.length > 0 && !candidates.some(remains)) return true;
        if (method === 'dns-persist-01' && ruledOut.has(method)) return true;
        return mustConnect && isUnresolvable;
      })
      .map(({ name }) => name),
  );
}

/**
 * Returns whether the method that a site probably uses would succeed for every name. Without records for DNS that is http-01: tls-alpn-01 is rare,
 * and dns-01 usually comes with wildcards or a delegation. CAs that also validate by mail or by a record of their own do not need either.
 */
export function probablySucceeds(
  input: CheckInput,
  byName: readonly NameMethods[],
  { candidates, method, usesDns }: LearnedMethods,
): boolean {
  if (input.ca !== null && input.ca.methods === undefined) return true;
  const connects = candidates.includes('http-01') ? (['http-01'] as const) : ADDRESS_METHODS;
  return byName.every(({ ruledOut, unclear }) => {
    const likely = method === null ? (usesDns ? DNS_METHODS : connects) : [method];
    return likely.some((one) => candidates.includes(one) && !ruledOut.has(one) && !unclear.has(one));
  });
}
