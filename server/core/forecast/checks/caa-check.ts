import { oneLine, truncatedLine } from '../../one-line.ts';
import { rulesOf } from '../../rules/dated-rules.ts';
import { type CaIdentity, caNamed } from '../ca-identifiers.ts';
import {
  type CaaProperty,
  type CaaStep,
  type NameEvidence,
  VALIDATION_METHODS,
  type ValidationMethod,
} from '../evidence.ts';
import type { ForecastCheck } from '../forecast.ts';
import { type IssueValue, parameterValues, readIssueValue } from '../issue-value.ts';
import { type CheckInput, eachName, isWildcard, type NameVerdict, unanswered } from './check-input.ts';

/** Returns whether CAA records let the CA of today's certificate issue the next one (RFC 8659, Baseline Requirements §3.2.2.8). */
export function checkCaa(input: CheckInput): ForecastCheck[] {
  return eachName('caa', input, (name) => judgeName(name, input));
}

/** Returns the account URIs that CAA records of the certificate's names give for the CA (RFC 8657 §3). */
export function accountsOf({ evidence, ca }: Pick<CheckInput, 'evidence' | 'ca'>): string[] {
  const accounts = evidence.names.flatMap((name) => {
    const step = relevantStep(name.caa);
    if (step === null || ca === null) return [];
    return valuesFor(propertiesFor(recordsOf(step), isWildcard(name.name)), ca).flatMap((value) =>
      parameterValues(value, 'accounturi'),
    );
  });
  return [...new Set(accounts)].slice(0, 20).map(oneLine);
}

/**
 * Judges CAA for one name. After a failed lookup a CA may issue only if it knows that the domain is not signed (Baseline Requirements §3.2.2.8), so
 * the state is not known. Returns null for wrong signatures, which `checkDnssec` reports.
 */
function judgeName({ name, caa }: NameEvidence, input: CheckInput): NameVerdict | null {
  const step = relevantStep(caa);
  if (step === null)
    return caa.length === 0
      ? { state: 'not_known', reason: 'not_asked' }
      : { state: 'passes', reason: 'none' };
  const domain = oneLine(step.domain);
  if (unanswered(step.answer) === 'bogus') return null;
  if (step.answer.outcome === 'no_answer')
    return { state: 'not_known', reason: 'no_answer', values: { domain, why: step.answer.why } };
  const verdict = judgeRecords(recordsOf(step), isWildcard(name), input);
  const ca = input.ca?.name ?? '';
  return { ...verdict, values: { domain, ca, ...verdict.values } };
}

/** Returns the first name upwards that has CAA records or gave no answer (RFC 8659 §3); null if no name has any. */
function relevantStep(steps: readonly CaaStep[]): CaaStep | null {
  return (
    steps.find(
      ({ answer }) =>
        answer.outcome === 'no_answer' || (answer.outcome === 'records' && answer.records.length > 0),
    ) ?? null
  );
}

const recordsOf = ({ answer }: CaaStep): readonly CaaProperty[] =>
  answer.outcome === 'records' ? answer.records : [];

/** Tags that every CA knows. `issuemail` is RFC 9495. */
const KNOWN_TAGS = new Set(['issue', 'issuewild', 'iodef', 'issuemail']);
/** Tags of Baseline Requirements, appendix A, and of mark certificates. Boulder does not know them. */
const OTHER_TAGS = new Set(['contactemail', 'contactphone', 'issuevmc']);

/** Returns the properties that apply: for wildcard names `issuewild` if there is one, else `issue` (RFC 8659 §4.3). Compares tags in any case (§4.1). */
function propertiesFor(records: readonly CaaProperty[], wildcard: boolean): CaaProperty[] {
  const tagged = (tag: string) => records.filter((one) => one.tag.toLowerCase() === tag);
  const wild = wildcard ? tagged('issuewild') : [];
  return wild.length > 0 ? wild : tagged('issue');
}

/** Returns the values that name the CA, whose domain names are compared in any case. */
function valuesFor(properties: readonly CaaProperty[], ca: CaIdentity): IssueValue[] {
  return properties
    .map(({ value }) => readIssueValue(value))
    .filter((value) => value !== null)
    .filter(({ issuer }) => ca.domains.includes(issuer.toLowerCase()));
}

function judgeRecords(records: readonly CaaProperty[], wildcard: boolean, input: CheckInput): NameVerdict {
  const { ca } = input;
  const critical = ca?.isCaseSensitive === true ? 129 : 128;
  const known = (tag: string) => KNOWN_TAGS.has(tag) || (ca?.isCaseSensitive !== true && OTHER_TAGS.has(tag));
  const strange = records.find(({ flags, tag }) => (flags & critical) !== 0 && !known(tag.toLowerCase()));
  if (strange !== undefined)
    return {
      state: 'fails',
      reason: 'critical',
      values: { record: recordText(strange), tag: oneLine(strange.tag) },
    };
  const properties = propertiesFor(records, wildcard);
  // RFC 8659 §4.2: records without such a property restrict nobody.
  if (properties.length === 0) return { state: 'passes', reason: 'unrestricted' };
  const values = { records: properties.slice(0, 10).map(recordText) };
  const named = ca === null ? [] : valuesFor(properties, ca);
  if (ca !== null && named.length > 0) {
    const verdict = judgeParameters(named, ca, input);
    return { ...verdict, values: { ...values, ...verdict.values } };
  }
  const verdict = judgeUnnamed(properties, ca);
  return {
    ...verdict,
    values: { ...values, ...verdict.values, ...recordToAdd(properties, wildcard, ca) },
  };
}

/** Judges properties none of which names the CA. */
function judgeUnnamed(properties: readonly CaaProperty[], ca: CaIdentity | null): NameVerdict {
  const read = properties.map(({ value }) => readIssueValue(value));
  const issuers = read.flatMap((value) =>
    value === null || value.issuer === '' ? [] : [value.issuer.toLowerCase()],
  );
  const resembles = properties.some(
    ({ value }, index) =>
      read[index] === null && ca?.domains.some((domain) => value.toLowerCase().includes(domain)),
  );
  // A value that does not match the grammar counts as one that names nobody (RFC 8659 §4.2).
  if (resembles) return { state: 'fails', reason: 'malformed' };
  if (issuers.length === 0) return { state: 'fails', reason: 'nobody' };
  if (ca === null) return { state: 'not_known', reason: 'unknown_ca' };
  return ca.unconfirmed?.some((domain) => issuers.includes(domain)) === true
    ? { state: 'not_known', reason: 'perhaps' }
    : { state: 'fails', reason: 'others', values: { others: namesOf(issuers) } };
}

/** Returns the names of CAs, or their domain names if we do not know the CAs. */
function namesOf(issuers: readonly string[]): string[] {
  return [...new Set(issuers.map((issuer) => caNamed(issuer)?.name ?? oneLine(issuer)))].slice(0, 5);
}

/** Returns the values for the record that lets the CA issue. */
function recordToAdd(
  properties: readonly CaaProperty[],
  wildcard: boolean,
  ca: CaIdentity | null,
): ForecastCheck['values'] {
  const issuer = ca?.domains[0];
  if (issuer === undefined) return {};
  const tag =
    wildcard && properties.some((one) => one.tag.toLowerCase() === 'issuewild') ? 'issuewild' : 'issue';
  return { add: `0 ${tag} "${issuer}"` };
}

const PROCESSED_SINCE = rulesOf('caa_parameters')[0]?.start ?? Infinity;

/** Judges the parameters (RFC 8657) of properties that name the CA. A property whose parameters nobody can meet authorises nobody. */
function judgeParameters(named: readonly IssueValue[], ca: CaIdentity, input: CheckInput): NameVerdict {
  const exact =
    ca.isCaseSensitive === true ? named.filter(({ issuer }) => ca.domains.includes(issuer)) : named;
  if (exact.length === 0) return { state: 'not_known', reason: 'capitals' };
  const isProcessed = ca.processesParameters === true || input.expectedAt >= PROCESSED_SINCE;
  const binding = (verdict: NameVerdict): NameVerdict =>
    isProcessed ? verdict : { ...verdict, state: 'warns', methods: [], reason: `${verdict.reason}_later` };
  const usable = exact.filter((value) => accountCanMatch(value, ca) && methodsOf(value) !== 'malformed');
  if (usable.length === 0) {
    const isAccount = exact.some((value) => !accountCanMatch(value, ca));
    return binding({ state: 'fails', reason: isAccount ? 'account' : 'malformed_methods' });
  }
  const lists = usable.map(methodsOf).filter((list) => list !== 'malformed');
  const changed = changedAccount(usable, input);
  if (lists.some((list) => list === null))
    return changed === null ? { state: 'passes', reason: 'allowed' } : binding(changed);
  const labels = lists.flatMap((list) => list ?? []);
  const allowed = VALIDATION_METHODS.filter((method) =>
    labels.some((label) => LABELS_OF[method].includes(label.toLowerCase())),
  );
  const values = { allowed: [...new Set(labels.map(oneLine))].slice(0, 10) };
  if (allowed.length === 0)
    return binding({
      state: ca.methods === undefined ? 'not_known' : 'fails',
      reason: 'other_methods',
      values,
    });
  const excluded = VALIDATION_METHODS.filter((method) => !allowed.includes(method));
  return changed === null
    ? binding({ state: 'depends', reason: 'methods', methods: excluded, values })
    : binding(changed);
}

/** A property with several accounts, or with one that cannot be an account of the CA, is unsatisfiable (RFC 8657 §3). */
function accountCanMatch(value: IssueValue, ca: CaIdentity): boolean {
  const accounts = parameterValues(value, 'accounturi');
  const [account] = accounts;
  if (accounts.length > 1) return false;
  if (account === undefined || ca.accountPrefixes === undefined) return account !== '';
  return ca.accountPrefixes.some((prefix) => account.startsWith(prefix));
}

/** Labels of the methods: that of ACME, and that of ballot SC-098 for the method in Baseline Requirements §3.2.2.4. */
const LABELS_OF: Readonly<Record<ValidationMethod, readonly string[]>> = {
  'http-01': ['http-01', 'ca-tbr-19'],
  'tls-alpn-01': ['tls-alpn-01', 'ca-tbr-20'],
  'dns-01': ['dns-01', 'ca-tbr-7'],
  'dns-persist-01': ['dns-persist-01', 'ca-tbr-22'],
};

/** Returns the labels of `validationmethods`; null if the property allows all (RFC 8657 §4). Several such parameters are malformed, as in Boulder. */
function methodsOf(value: IssueValue): string[] | null | 'malformed' {
  const lists = parameterValues(value, 'validationmethods');
  const [list] = lists;
  if (list === undefined) return null;
  const labels = list.split(',');
  return lists.length === 1 && labels.every((label) => /^[a-z\d-]+$/i.test(label)) ? labels : 'malformed';
}

/**
 * Returns a verdict if all properties name accounts, and none of them is one that the first forecast of the certificate saw. We cannot know which
 * account renews: somebody may have moved the account together with the records.
 */
function changedAccount(usable: readonly IssueValue[], { context }: CheckInput): NameVerdict | null {
  const accounts = usable.map((value) => parameterValues(value, 'accounturi')[0]);
  const { first } = context;
  if (first === null || accounts.includes(undefined)) return null;
  const written = accounts.map((account) => oneLine(account ?? ''));
  if (written.some((account) => first.accounts.includes(account))) return null;
  return { state: 'not_known', reason: 'changed_account', values: { accounts: written.slice(0, 5) } };
}

/** Longest part of a value that is shown. Values with an account are longer than a line. */
const MAX_VALUE = 300;

/** Returns a record as in a zone file, without its name: `0 issue "ca.example"`. */
function recordText({ flags, tag, value }: CaaProperty): string {
  return `${flags} ${oneLine(tag)} "${truncatedLine(value, MAX_VALUE)}"`;
}
