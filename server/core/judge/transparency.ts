import type { Certificate } from '../../pki/certificate.ts';
import { currentUntil, type LogList, operatorAt, type TransparencyLog } from '../../pki/ct/log-list.ts';
import {
  applePolicy,
  chromePolicy,
  firefoxPolicy,
  type ListedTimestamp,
  type PolicyAnswer,
  type PolicyQuestion,
} from '../../pki/ct/policies.ts';
import { digestOfList, parseTimestampList, type TimestampList } from '../../pki/ct/timestamp-list.ts';
import { type Delivery, verifyTimestamps } from '../../pki/ct/timestamp-signature.ts';
import { EXTENSION } from '../../pki/der/object-identifiers.ts';
import { LruCache } from '../../pki/lru-cache.ts';
import { PkiError } from '../../pki/pki-error.ts';
import { matchesCertificateId } from '../../pki/revocation/ocsp-request.ts';
import { stapledTimestamps } from '../../pki/revocation/ocsp-response.ts';
import type { WorkBudget } from '../../pki/work-budget.ts';
import type { ListGap, TransparencyClient, TransparencyVerdict, Verdict } from '../verdict.ts';
import type { JudgedAddress, JudgedChain } from './answers.ts';
import { type RootRules, rulesAbout } from '../rules/root-rules.ts';

/** Why a server has no list of Certificate Transparency logs. */
export type MissingList = Exclude<ListGap, 'too_old'>;

/** The lists of Certificate Transparency logs that this server has, or why it has none. */
export interface LogLists {
  /** Chrome's list. Firefox's list is made from it. */
  readonly google: LogList | MissingList;
  readonly apple: LogList | MissingList;
}
export const NO_LOG_LISTS: LogLists = { google: 'off', apple: 'off' };

/** Returns the list if there is one. */
const listOf = (list: LogList | MissingList): LogList | null => (typeof list === 'string' ? null : list);

const POLICIES = {
  chromium: { list: 'google', ask: chromePolicy },
  firefox: { list: 'google', ask: firefoxPolicy },
  apple: { list: 'apple', ask: applePolicy },
} as const satisfies Record<
  TransparencyClient,
  { list: keyof LogLists; ask: (question: PolicyQuestion) => PolicyAnswer }
>;
const POLICY_CLIENTS = ['chromium', 'firefox', 'apple'] as const satisfies readonly TransparencyClient[];

interface Conclusion {
  result: Pick<Verdict, 'transparency'>;
  /** The time of the conclusion, and the first instant at which it may change (ms UTC). */
  from: number;
  until: number;
  /** Work units that it cost. */
  cost: number;
}

type Conclusions = LruCache<string, Conclusion>;

/**
 * Cache of conclusions by certificate, issuer and verified stapled SCTs, for each version of the lists. Lists change daily, so weak keys let
 * the memory of replaced lists be freed. Verifying the three SCTs of a certificate takes a third of the CPU time of its check.
 */
const conclusionsBy = new WeakMap<LogLists, Conclusions>();

function conclusionsFrom(lists: LogLists): Conclusions {
  const kept = conclusionsBy.get(lists) ?? new LruCache<string, Conclusion>(8_192);
  conclusionsBy.set(lists, kept);
  return kept;
}

interface Context {
  lists: LogLists;
  now: number;
  work: WorkBudget;
  /** Default: the rules of `DATED_RULES` about roots. */
  rootRules?: RootRules;
}

type JudgedLeaf = Pick<JudgedChain, 'path' | 'isPublic' | 'revocation'> & { leaf: Certificate };

/**
 * Judges the SCTs in a leaf and those that the server stapled. Without a current list of logs, only says which there are. Returns an
 * empty object for a certificate of a private CA without SCTs.
 */
export function judgeTransparency(
  { leaf, path, isPublic, revocation }: JudgedLeaf,
  answers: readonly JudgedAddress[],
  context: Context,
): Pick<Verdict, 'transparency'> {
  const { lists, now, work } = context;
  const issuer = path?.[1] ?? null;
  const anchor = path?.at(-1);
  const authority: Authority = {
    issuer,
    isPublic: path === null ? null : isPublic,
    hasDistrustedRoot:
      anchor !== undefined &&
      rulesAbout(anchor, context.rootRules).some(({ clients }) => clients.includes('firefox')),
  };
  const stapled = issuer === null ? null : stapledGroup(answers, { leaf, issuer, revocation });
  const hasAny = leaf.extensions.has(EXTENSION.signedCertificateTimestamps) || stapled !== null;
  if (!isPublic && !hasAny) return {};
  const key = `${leaf.fingerprint} ${issuer?.fingerprint} ${authority.isPublic} ${authority.hasDistrustedRoot} ${stapled?.hash}`;
  const isKept = stapled?.isVerified !== false;
  const conclusions = conclusionsFrom(lists);
  const known = isKept ? conclusions.get(key) : null;
  const isCurrent = known !== null && known.from <= now && now < known.until;
  if (isCurrent && known.cost <= work.left) {
    // Charge for cached conclusions too, so that the same input gives the same verdict on every machine.
    work.spend(known.cost);
    return known.result;
  }
  const before = work.left;
  const { transparency, until } = conclude(leaf, authority, stapled, context);
  const result = { transparency };
  if (isKept && !work.isExhausted)
    conclusions.set(key, { result, from: now, until, cost: before - work.left });
  return result;
}

/** What the path says about the authority of a leaf. */
interface Authority {
  issuer: Certificate | null;
  /** Whether the path ends in an anchor of a public root program; null if there is no valid path. */
  isPublic: boolean | null;
  /** Whether Firefox trusts certificates of the root only if they were issued before some day. */
  hasDistrustedRoot: boolean;
}

function conclude(
  leaf: Certificate,
  { issuer, isPublic, hasDistrustedRoot }: Authority,
  stapled: StapledGroup | null,
  { lists, now, work }: Context,
): { transparency: TransparencyVerdict; until: number } {
  const groups: Group[] = [embeddedGroup(leaf), ...(stapled === null ? [] : [stapled])];
  const google = listOf(lists.google);
  const apple = listOf(lists.apple);
  const logOf = (logId: string): TransparencyLog | null =>
    google?.logs.get(logId) ?? apple?.logs.get(logId) ?? null;
  const keyOf = (logId: string) => google?.logs.get(logId)?.key ?? apple?.logs.get(logId)?.key ?? null;
  const signed = groups.flatMap(({ delivery, timestamps, isVerified }) => {
    const delivered = isVerified && issuer && { timestamps, delivery, certificate: leaf, issuer };
    const checks = delivered ? verifyTimestamps(delivered, keyOf, work) : [];
    return timestamps.map((timestamp, index) => ({
      timestamp,
      delivery,
      signature: checks[index] ?? ('unverifiable' as const),
      isOfUnverifiedStaple: !isVerified,
    }));
  });
  // Other timestamps may come in the TLS handshake. A certificate without any is reported as refused, so this must say the same.
  const isComplete = signed.length === 0 && stapled === null;
  const policies = new Map<TransparencyClient, PolicyAnswer & { asOf: number }>();
  const missing: NonNullable<TransparencyVerdict['missing']>[number][] = [];
  for (const client of isPublic ? POLICY_CLIENTS : []) {
    const { list, ask } = POLICIES[client];
    const known = lists[list];
    if (typeof known === 'string' || now >= currentUntil(known)) {
      missing.push({ client, why: typeof known === 'string' ? known : 'too_old' });
      continue;
    }
    const timestamps = signed.map((one): ListedTimestamp => ({
      ...one,
      log: known.logs.get(one.timestamp.logId) ?? null,
    }));
    const { notBefore, notAfter } = leaf;
    const answer = ask({ timestamps, notBefore, notAfter, now, isComplete, hasDistrustedRoot });
    policies.set(client, { ...answer, asOf: known.asOf });
  }
  const changes = [google, apple].flatMap((list) => [
    ...(list === null ? [] : [currentUntil(list)]),
    ...signed.flatMap(({ timestamp: { logId, at } }) => [at, list?.logs.get(logId)?.since ?? at]),
  ]);
  return {
    until: Math.min(...changes.filter((at) => at > now)),
    transparency: {
      isRequired: isPublic,
      timestamps: signed.map(({ timestamp: { logId, at }, delivery }, index) => {
        const log = logOf(logId);
        const statusFor = (client: TransparencyClient) => policies.get(client)?.statuses[index] ?? null;
        return {
          logId,
          at,
          delivery,
          log: log && { name: log.description, operator: operatorAt(log, at) },
          chromium: statusFor('chromium'),
          firefox: statusFor('firefox'),
          apple: statusFor('apple'),
        };
      }),
      unreadable: groups.reduce((sum, { unreadable }) => sum + unreadable, 0),
      policies: Array.from(policies, ([client, { asOf, outcome, why, counted, needed }]) => ({
        client,
        asOf,
        outcome,
        why,
        counted,
        needed,
      })),
      ...(missing.length > 0 && { missing }),
    },
  };
}

type Group = TimestampList & {
  delivery: Exclude<Delivery, 'tls'>;
  /** Whether a CA signed the list. Policies do not count SCTs of others. */
  isVerified: boolean;
};
type StapledGroup = Group & { hash: string };

function embeddedGroup({ certificateTimestamps, parseErrors }: Certificate): Group {
  const isMalformed = parseErrors.some(
    ({ extension }) => extension === EXTENSION.signedCertificateTimestamps,
  );
  return { ...(isMalformed ? MALFORMED : certificateTimestamps), delivery: 'certificate', isVerified: true };
}

/**
 * Returns the SCTs in the OCSP response that the first address with this leaf stapled; null if there are none. They are verified if all
 * stapled responses about the leaf are valid and say that it is good.
 */
function stapledGroup(
  answers: readonly JudgedAddress[],
  { leaf, issuer, revocation }: Pick<JudgedLeaf, 'leaf' | 'revocation'> & { issuer: Certificate },
): StapledGroup | null {
  const answer = answers.find(({ judged, seen }) => judged.leaf === leaf && seen.staple !== null);
  const lists = stapledTimestamps(answer?.seen.staple ?? new Uint8Array());
  const list = lists.find(({ id }) => matchesCertificateId(id, leaf, issuer))?.value;
  if (list === undefined) return null;
  const staples = revocation?.sources.filter(({ source }) => source === 'staple') ?? [];
  const isVerified = staples.length > 0 && staples.every(({ state }) => state === 'good');
  return { ...readList(list), delivery: 'staple', isVerified, hash: digestOfList(list) };
}

const MALFORMED: TimestampList = { timestamps: [], unreadable: 1 };

function readList(value: Uint8Array): TimestampList {
  try {
    return parseTimestampList(value);
  } catch (error) {
    if (error instanceof PkiError) return MALFORMED;
    throw error;
  }
}
