import type { Finding, FindingFacts } from '../finding.ts';
import { clientsRefusingNow } from '../judge/clients/refusals.ts';
import { ruleById } from '../rules/dated-rules.ts';
import type { Verdict } from '../verdict.ts';

/** Stored in place of a rule's id if the CA of a certificate asks for its replacement. */
export const REPLACEMENT_WANTED = 'replacement_wanted';

/** A certificate that a dated rule concerns, on one monitor. Times in ms UTC. */
export interface Deadline {
  fingerprint: string;
  /** Id of the rule, as in findings, or `REPLACEMENT_WANTED`. */
  rule: string;
  fromAt: number;
  firstSeenAt: number;
  /** Time of the check since which no address serves the certificate; null while one does. */
  renewedAt: number | null;
}

type Dated = Pick<Deadline, 'fingerprint' | 'rule' | 'fromAt'>;

const DATED_CODES: readonly Finding['code'][] = ['refused_from', 'renewal_changes', 'replacement_wanted'];

/** Returns the deadlines that the findings name, each once per certificate. */
export function deadlinesIn({ findings }: Pick<Verdict, 'findings'>): Dated[] {
  const dated = findings.flatMap(({ fingerprint, facts }) => {
    const rule = ruleOf(facts);
    return fingerprint === null || rule === null ? [] : [{ fingerprint, ...rule }];
  });
  return [...new Map(dated.map((one) => [keyOf(one), one])).values()];
}

function ruleOf(facts: FindingFacts): Pick<Deadline, 'rule' | 'fromAt'> | null {
  switch (facts.kind) {
    case 'refused_from':
    case 'renewal_changes':
      // Limits on lifetimes concern nearly all certificates, so the page compares the lifetimes themselves.
      return ruleById(facts.rule)?.kind === 'max_lifetime' ? null : { rule: facts.rule, fromAt: facts.from };
    case 'replacement_wanted':
      return { rule: REPLACEMENT_WANTED, fromAt: facts.window.end };
    default:
      return null;
  }
}

const keyOf = ({ fingerprint, rule }: Pick<Deadline, 'fingerprint' | 'rule'>): string =>
  `${fingerprint} ${rule}`;

/** Returns whether a check may change the stored deadlines of its monitor: its dated findings, its leaves or whether they are refused differ. */
export function mayChangeDeadlines(previous: Verdict | null, verdict: Verdict): boolean {
  if (!verdict.reached) return false;
  const now = datedKeys(verdict);
  if (previous === null) return now !== '';
  if (leafKeys(previous) !== leafKeys(verdict) || isRefused(previous) !== isRefused(verdict)) return true;
  if (previous.reached) return datedKeys(previous) !== now;
  // The last check read no certificate, so its findings do not show which rules concerned the earlier one.
  return now !== '' || (previous.lastSeen?.findings ?? []).some(({ code }) => DATED_CODES.includes(code));
}

/** Returns whether some client refuses what a check saw. */
export const isRefused = ({ findings }: Pick<Verdict, 'findings'>): boolean =>
  findings.some((finding) => clientsRefusingNow(finding).length > 0);

const datedKeys = (verdict: Verdict): string =>
  deadlinesIn(verdict)
    .map((one) => `${keyOf(one)} ${one.fromAt}`)
    .toSorted()
    .join();

const leafKeys = ({ lastSeen }: Verdict): string =>
  (lastSeen?.expiring ?? [])
    .map(({ fingerprint }) => fingerprint)
    .toSorted()
    .join();

/**
 * Returns which deadlines to write and which to delete after a check. `dated`: the deadlines that its findings name; `served`: fingerprints of
 * the certificates that it saw; `isRefused`: whether some client refuses them. A certificate that was replaced by another one with the same deadline is deleted, so that only its successor counts.
 */
export function followDeadlines(
  stored: readonly Deadline[],
  {
    dated,
    served,
    isRefused,
    now,
  }: { dated: readonly Dated[]; served: ReadonlySet<string>; isRefused: boolean; now: number },
): { written: Deadline[]; removed: Deadline[] } {
  const found = new Map(dated.map((one) => [keyOf(one), one]));
  const known = new Map(stored.map((one) => [keyOf(one), one]));
  const added = dated
    .filter((one) => !known.has(keyOf(one)))
    .map((one): Deadline => ({ ...one, firstSeenAt: now, renewedAt: null }));
  const followed = stored.flatMap((one): Deadline[] => {
    const { fromAt = one.fromAt } = found.get(keyOf(one)) ?? {};
    if (found.has(keyOf(one))) return [{ ...one, fromAt, renewedAt: null }];
    if (!served.has(one.fingerprint)) return [{ ...one, renewedAt: one.renewedAt ?? now }];
    // After its day, a refusal is a finding of another kind. If no client refuses what the check saw, the deadline is over.
    return one.fromAt <= now && isRefused ? [{ ...one, renewedAt: null }] : [];
  });
  const all = [...added, ...followed];
  const isCurrent = ({ rule, firstSeenAt, renewedAt }: Deadline) =>
    renewedAt === null || !all.some((one) => one.rule === rule && one.firstSeenAt > firstSeenAt);
  const current = new Map(all.filter(isCurrent).map((one) => [keyOf(one), one]));
  const isWritten = (one: Deadline) => {
    const before = known.get(keyOf(one));
    return before?.fromAt !== one.fromAt || before.renewedAt !== one.renewedAt;
  };
  return {
    written: [...current.values()].filter(isWritten),
    removed: stored.filter((one) => !current.has(keyOf(one))),
  };
}
