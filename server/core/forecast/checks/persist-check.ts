import { oneLine } from '../../one-line.ts';
import type { CaIdentity } from '../ca-identifiers.ts';
import type { NameEvidence } from '../evidence.ts';
import type { ForecastCheck } from '../forecast.ts';
import { type IssueValue, parameterValues, readIssueValue } from '../issue-value.ts';
import {
  baseName,
  type CheckInput,
  eachName,
  isWildcard,
  type NameVerdict,
  recordsOf,
} from './check-input.ts';

/** A record of `_validation-persist` that names the CA. */
interface PersistRecord {
  /** The domain below which it is. */
  domain: string;
  hasWildcardPolicy: boolean;
  /** Last instant at which the CA accepts it, ms UTC: `persistUntil`. Infinity if it has no end, null if the record is malformed. */
  until: number | null;
}

/**
 * Returns whether dns-persist-01 is possible (draft-ietf-acme-dns-persist-02): a record names the CA, has one account, and lasts until the renewal.
 * A wildcard or a name below needs `policy=wildcard`. Without a record for the CA, returns no check unless the site may use the method (`isCandidate`).
 */
export function checkPersist(input: CheckInput, isCandidate: boolean): ForecastCheck[] {
  const records = persistRecords(input);
  if (records.length === 0 && !isCandidate) return [];
  return eachName('persist', input, ({ name }) => judgeName(name, records, input.expectedAt));
}

/** Returns whether every name had a valid record at an instant, ms UTC. */
export function persistedAt(input: CheckInput, at: number): boolean {
  const records = persistRecords(input);
  return input.evidence.names.every(({ name }) =>
    records.some((record) => covers(record, name) && record.until !== null && record.until > at),
  );
}

/** Maximum number of records of a name that are read. Each name of a certificate is compared with the records of all. */
const MAX_RECORDS = 50;

function persistRecords({ evidence, ca }: CheckInput): PersistRecord[] {
  return ca === null ? [] : evidence.names.flatMap((name) => recordsBelow(name, ca));
}

function recordsBelow({ name, persist }: NameEvidence, ca: CaIdentity): PersistRecord[] {
  return recordsOf(persist)
    .slice(0, MAX_RECORDS)
    .flatMap((text) => {
      const value = readIssueValue(text);
      if (value === null) {
        const isMeant = ca.domains.some((domain) => text.trimStart().toLowerCase().startsWith(domain));
        return isMeant ? [{ domain: baseName(name), hasWildcardPolicy: true, until: null }] : [];
      }
      if (!ca.domains.includes(value.issuer.toLowerCase())) return [];
      const hasWildcardPolicy = parameterValues(value, 'policy').some(
        (one) => one.toLowerCase() === 'wildcard',
      );
      return [{ domain: baseName(name), hasWildcardPolicy, until: endOf(value) }];
    });
}

/** `persistUntil` has seconds since 1970, and the record needs exactly one account (sections 4.1 and 9.3.1 of the draft). */
function endOf(value: IssueValue): number | null {
  const ends = parameterValues(value, 'persistuntil');
  const [end] = ends;
  if (parameterValues(value, 'accounturi').length !== 1 || ends.length > 1) return null;
  if (end === undefined) return Infinity;
  return /^\d{1,12}$/.test(end) ? Number(end) * 1_000 : null;
}

function covers({ domain, hasWildcardPolicy }: PersistRecord, name: string): boolean {
  const base = baseName(name);
  if (base === domain && !isWildcard(name)) return true;
  return hasWildcardPolicy && (base === domain || base.endsWith(`.${domain}`));
}

function judgeName(name: string, records: readonly PersistRecord[], expectedAt: number): NameVerdict {
  const methods = ['dns-persist-01'] as const;
  const covering = records.filter((record) => covers(record, name));
  const ends = covering.map(({ until }) => until).filter((until) => until !== null);
  const latest = Math.max(-Infinity, ...ends);
  if (latest > expectedAt) return { state: 'passes', reason: 'valid', methods };
  if (ends.length > 0)
    return { state: 'depends', reason: 'ends', methods, values: { until: Math.min(latest, MAX_DATE_MS) } };
  if (covering.length > 0) return { state: 'depends', reason: 'malformed', methods };
  const isBelow = records.some(({ domain }) => {
    const base = baseName(name);
    return base === domain || base.endsWith(`.${domain}`);
  });
  return isBelow
    ? { state: 'depends', reason: 'policy', methods, values: { domain: oneLine(baseName(name)) } }
    : { state: 'depends', reason: 'missing', methods };
}

/** The latest instant that a Date can have. */
const MAX_DATE_MS = 8.64e15;
