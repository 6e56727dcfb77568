import type { Client } from '../../../contract/check-words.ts';
import { DAY_MS } from '../../../contract/durations.ts';

/** Names of roots by the SHA-256 of their subject public keys, because a root may have several certificates. */
type RuleRoots = Readonly<Record<string, string>>;

/** What a rule says. */
type RuleContent =
  /** A public certificate that is issued while the rule holds may be valid for so many days (Baseline Requirements §6.3.2). */
  | { kind: 'max_lifetime'; maxDays: number }
  /** The same for certificates below roots that somebody added. */
  | { kind: 'private_max_lifetime'; maxDays: number }
  /** A certificate below a root that somebody added needs the purpose serverAuth if it is issued while the rule holds. */
  | { kind: 'private_purpose' }
  /** A CA may reuse a validation of a domain for so many days (Baseline Requirements §4.2.1). */
  | { kind: 'validation_reuse'; maxDays: number }
  /** The certificates that one CA issues by default while the rule holds are valid for so many days. `ca`: its `name` in `ca-identifiers.ts`. */
  | { kind: 'ca_lifetime'; ca: string; maxDays: number }
  /** CAs process the parameters `accounturi` and `validationmethods` of CAA records (RFC 8657) while the rule holds. */
  | { kind: 'caa_parameters' }
  /** CAs validate DNSSEC when they look up CAA records and validate domains (Baseline Requirements §3.2.2.4, §3.2.2.8.1). */
  | { kind: 'dnssec_validation' }
  /** A public certificate that is issued while the rule holds names no purpose but serverAuth. */
  | { kind: 'server_auth_only' }
  /** CAs sign nothing with SHA-1 while the rule holds (Baseline Requirements §7.1.3.2.1). */
  | { kind: 'no_sha1' }
  /**
   * The clients refuse certificates of these roots that are issued while the rule holds. `issuedAt`: Chrome takes the earliest SCT, Firefox
   * the notBefore.
   */
  | { kind: 'no_new_certificates'; issuedAt: 'log_time' | 'not_before'; roots: RuleRoots }
  /** The clients refuse all certificates of these roots while the rule holds. */
  | { kind: 'no_certificates'; roots: RuleRoots }
  /** The clients have none of these roots yet. Chains reach them only by certificates that older roots signed for the new ones. */
  | { kind: 'new_roots'; roots: RuleRoots };

/** A rule with dates. Verdicts store its `id`, so that it never changes. */
export type DatedRule = {
  id: string;
  /** The clients that apply the rule; empty if only CAs follow it. */
  clients: readonly Client[];
  /** First day of the rule, 'YYYY-MM-DD'. Days begin at 00:00 UTC. */
  from: string;
  /** First day on which the rule no longer holds; null if no end is known. */
  until: string | null;
  /** Where the publisher says so. */
  source: string;
  /** Last day on which somebody compared the rule with its source. */
  reviewedOn: string;
} & RuleContent;

/** A rule of one kind. */
export type RuleOf<Kind extends DatedRule['kind']> = Extract<DatedRule, { kind: Kind }>;

/** Returns when a day of a rule begins, ms UTC. */
export const dayStart = (day: string): number => Date.parse(`${day}T00:00:00Z`);

const REVIEWED_WITHIN_DAYS = 180;

/** Returns the entries whose last review is too old at `now` (ms UTC). */
export function overdueReviews<Entry extends Pick<DatedRule, 'reviewedOn'>>(
  now: number,
  entries: readonly Entry[],
): Entry[] {
  return entries.filter(({ reviewedOn }) => now - dayStart(reviewedOn) > REVIEWED_WITHIN_DAYS * DAY_MS);
}
