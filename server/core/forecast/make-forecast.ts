import { caOf } from './ca-identifiers.ts';
import { accountsOf, checkCaa } from './checks/caa-check.ts';
import type { CheckInput } from './checks/check-input.ts';
import { checkDnsChallenge, checkDnssec, checkNames } from './checks/dns-checks.ts';
import { checkHttp, checkTlsAlpn } from './checks/http-checks.ts';
import { checkPersist } from './checks/persist-check.ts';
import { checkLifetime, checkOverdue, checkRegistration, checkSchedule } from './checks/time-checks.ts';
import {
  type FirstForecast,
  type ForecastContext,
  type ForecastEvidence,
  VALIDATION_METHODS,
  type ValidationMethod,
} from './evidence.ts';
import { expectedDay } from './expected-day.ts';
import type { Forecast, ForecastCheck } from './forecast.ts';
import {
  learnedMethods,
  methodsByName,
  possibleMethods,
  probablySucceeds,
  unrenewableNames,
} from './methods.ts';

/**
 * Returns whether the next renewal of a certificate will work. `fails`: a check fails, or no method is left for a name. `works`: nothing fails,
 * CAA and names are known, and the method that the site probably uses would succeed. `docs/guides/forecast.md` has the reasons.
 */
export function makeForecast(evidence: ForecastEvidence, context: ForecastContext): Forecast {
  const expected = expectedDay(context);
  const input: CheckInput = {
    evidence,
    context,
    ca: caOf(context.certificate),
    // A renewal that is late can take place at any time.
    expectedAt: Math.max(expected.expectedAt, context.now),
  };
  const caa = checkCaa(input);
  const forbidden = caa.filter(({ state }) => state === 'depends').flatMap(({ methods }) => methods);
  const learned = learnedMethods(input, new Set(forbidden));
  const checks = [
    ...caa,
    ...checkDnssec(input),
    ...checkNames(input),
    ...checkHttp(input),
    ...checkTlsAlpn(input),
    ...checkDnsChallenge(input),
    ...checkPersist(input, learned.candidates.includes('dns-persist-01')),
    ...checkRegistration(input),
    ...checkSchedule(input, expected),
    ...checkLifetime(input),
    ...checkOverdue(input),
  ];
  const byName = methodsByName(input, checks);
  const unrenewable = unrenewableNames(input, byName, learned);
  const judged = checks.map((check) => settled(promoted(check, unrenewable), learned.method));
  const possible = possibleMethods(byName, checks);
  const first: FirstForecast = context.first ?? { at: evidence.at, possible, accounts: accountsOf(input) };
  return {
    at: evidence.at,
    outcome: outcomeOf(judged, probablySucceeds(input, byName, learned)),
    ...expected,
    method: learned.method,
    possible,
    first: { at: first.at, possible: [...first.possible], accounts: [...first.accounts] },
    checks: judged
      .toSorted((left, right) => ORDER.indexOf(left.state) - ORDER.indexOf(right.state))
      .map(shortened),
  };
}

const ORDER: readonly ForecastCheck['state'][] = ['fails', 'depends', 'not_known', 'warns', 'passes'];

/** Turns a check that rules out methods into a failing one, for the names that have no method left. */
function promoted(check: ForecastCheck, unrenewable: ReadonlySet<string>): ForecastCheck {
  if (check.state !== 'depends') return check;
  const names = check.names.filter((name) => unrenewable.has(name));
  return names.length === 0 ? check : { ...check, state: 'fails', names };
}

/** Checks of methods. Their faults do not matter if the site uses another method. */
const METHOD_CHECKS: readonly ForecastCheck['code'][] = ['caa', 'http', 'tls_alpn', 'dns', 'persist'];

/** Turns a check into a passing one if it rules out only unused methods. If the method is not known, CAA faults count for http-01 and dns-01 only. */
function settled(check: ForecastCheck, method: ValidationMethod | null): ForecastCheck {
  if (check.state !== 'depends' || !METHOD_CHECKS.includes(check.code)) return check;
  const unknown = check.code === 'caa' ? (['http-01', 'dns-01'] as const) : VALIDATION_METHODS;
  const used = method === null ? unknown : [method];
  return used.some((one) => check.methods.includes(one)) ? check : { ...check, state: 'passes', methods: [] };
}

/** The checks that must be known for `works`. DNSSEC is not among them, because many resolvers do not validate it; its check says so. */
const ESSENTIAL: readonly ForecastCheck['code'][] = ['caa', 'names'];

function outcomeOf(checks: readonly ForecastCheck[], succeeds: boolean): Forecast['outcome'] {
  if (checks.some(({ state }) => state === 'fails')) return 'fails';
  const isUnclear = checks.some(
    ({ code, state, methods }) => state === 'not_known' && methods.length === 0 && ESSENTIAL.includes(code),
  );
  // A late renewal shows that something fails that we cannot see.
  const isLate = checks.some(({ code, state }) => code === 'overdue' && state === 'warns');
  return succeeds && !isUnclear && !isLate ? 'works' : 'not_known';
}

/** Maximum number of names in a stored check. */
const MAX_NAMES = 10;

/** Limits the names of a check, and counts those that it leaves out. */
function shortened(check: ForecastCheck): ForecastCheck {
  const { names } = check;
  if (names.length <= MAX_NAMES) return check;
  return {
    ...check,
    names: names.slice(0, MAX_NAMES),
    values: { ...check.values, furtherNames: names.length - MAX_NAMES },
  };
}
