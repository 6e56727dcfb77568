import { type Certificate, subjectPublicKeyHash } from '../../pki/certificate.ts';
import { type DatedRule, dayStart, type RuleOf } from './dated-rule.ts';
import { DATED_RULES } from './dated-rules.ts';

/** A rule about roots that its clients distrust from a day on. */
export type RootRule = RuleOf<'no_new_certificates'> | RuleOf<'no_certificates'>;
/** These rules by the SHA-256 of the subject public keys of their roots. */
export type RootRules = ReadonlyMap<string, readonly RootRule[]>;

/** Returns the rules about roots among others, by the keys of the roots. */
export function rulesByRoot(rules: readonly DatedRule[]): RootRules {
  const pairs = rules.flatMap((rule) =>
    rule.kind === 'no_new_certificates' || rule.kind === 'no_certificates'
      ? Object.keys(rule.roots).map((key) => ({ key, rule }))
      : [],
  );
  const grouped = Map.groupBy(pairs, ({ key }) => key);
  return new Map([...grouped].map(([key, found]) => [key, found.map(({ rule }) => rule)]));
}

export const ROOT_RULES = rulesByRoot(DATED_RULES);

const keys = new WeakMap<Certificate, string>();

/** Returns the rules about a root. Caches the hash of its key, because a search for another path asks for every root of a store. */
export function rulesAbout(root: Certificate, rules: RootRules = ROOT_RULES): readonly RootRule[] {
  const key = keys.get(root) ?? subjectPublicKeyHash(root);
  keys.set(root, key);
  return rules.get(key) ?? [];
}

/** Returns the last second before a rule begins, ms UTC. Root stores name this second. */
export const trustedUntil = ({ from }: RootRule): number => dayStart(from) - 1000;

/** Returns whether the clients of a rule refuse a certificate below one of its roots at `now` (ms UTC). */
export function refuses(rule: RootRule, leaf: Certificate, now: number): boolean {
  const at = rule.kind === 'no_certificates' ? now : issuedAt(rule, leaf);
  return at > trustedUntil(rule);
}

/**
 * Returns when a certificate was issued in the sense of a rule, ms UTC. Without embedded SCTs that is the notBefore, because the time of
 * its logging is unknown.
 */
function issuedAt(
  { issuedAt: by }: Extract<RootRule, { kind: 'no_new_certificates' }>,
  { certificateTimestamps: { timestamps }, notBefore }: Certificate,
): number {
  return by === 'not_before' || timestamps.length === 0
    ? notBefore
    : Math.min(...timestamps.map(({ at }) => at));
}
