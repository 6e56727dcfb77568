import type { Certificate } from '../../pki/certificate.ts';
import { PURPOSE } from '../../pki/der/object-identifiers.ts';
import { CLIENTS } from '../../../contract/check-words.ts';
import { certificateName } from '../facts.ts';
import { type DatedFinding, ROOT_EXPIRES } from '../findings/dates.ts';
import { exceededLifetimeCap, validityDays } from '../findings/leaf.ts';
import { type DatedRule, dayStart } from '../rules/dated-rule.ts';
import { DATED_RULES, rulesOf } from '../rules/dated-rules.ts';
import { refuses, rulesAbout, rulesByRoot } from '../rules/root-rules.ts';
import { clientsRefusingAnchor } from './clients/anchor-rules.ts';
import { connectsTo } from './clients/client-rule.ts';
import { otherPath, type PathQuestion } from './path-findings.ts';

/** Returns the rules that say what changes for a certificate on a day within its validity. */
export const indexRules = (rules: readonly DatedRule[]) => ({
  byRoot: rulesByRoot(rules),
  lifetimes: rulesOf('max_lifetime', rules).toReversed(),
  purposes: rulesOf('server_auth_only', rules),
});
const RULES = indexRules(DATED_RULES);

/**
 * Returns from which day on clients refuse a leaf that they accept today, and what its next renewal changes. `path` is the valid path of
 * the leaf, `isPublic` whether it ends in a root of a public program.
 */
export function datedFindings(
  question: PathQuestion,
  path: readonly Certificate[],
  isPublic: boolean,
  rules: ReturnType<typeof indexRules> = RULES,
): DatedFinding[] {
  const anchor = path.at(-1);
  // A leaf that is trusted itself has no root.
  if (anchor === undefined || path.length < 2) return [];
  const expiry = rootExpiry(question, path);
  if (!isPublic) return expiry;
  return [
    ...expiry,
    ...rootFindings(question, anchor, rules.byRoot),
    ...renewalFindings(question.leaf, rules),
  ];
}

/** Reports that the root expires before the leaf, and that no other path is valid then. Follows other paths until the last root expires. */
function rootExpiry(question: PathQuestion, path: readonly Certificate[]): DatedFinding[] {
  const { leaf, trustStore, protocol, now } = question;
  const anchor = path.at(-1);
  if (anchor === undefined) return [];
  const end = anchor.notAfter;
  if (end < now || end >= leaf.notAfter) return [];
  // An intermediate that expires first has expiry alerts of its own.
  if (path.slice(1, -1).some(({ notAfter }) => notAfter <= end)) return [];
  const from = end + 1000;
  const other = otherPath(question, null, from);
  if (other.ok) return (other.path.at(-1)?.notAfter ?? 0) > end ? rootExpiry(question, other.path) : [];
  const refusing = clientsRefusingAnchor('expired', anchor, trustStore).filter(connectsTo(protocol));
  const clients = CLIENTS.filter((client) => refusing.includes(client));
  if (clients.length === 0) return [];
  const evidence = { root: certificateName(anchor), days: null };
  const facts = { kind: 'refused_from' as const, rule: ROOT_EXPIRES, from, evidence };
  return [{ code: 'refused_from', severity: 'upcoming', fingerprint: leaf.fingerprint, facts, clients }];
}

/** Reports the rules about the root that begin within the validity of the leaf, unless the leaf also leads to another root. */
function rootFindings(
  question: PathQuestion,
  anchor: Certificate,
  byRoot: ReturnType<typeof rulesByRoot>,
): DatedFinding[] {
  const { leaf, protocol, now } = question;
  const { fingerprint } = leaf;
  return rulesAbout(anchor, byRoot).flatMap((rule): DatedFinding[] => {
    const from = dayStart(rule.from);
    const clients = rule.clients.filter(connectsTo(protocol));
    if (clients.length === 0 || leaf.notAfter < from || refuses(rule, leaf, now)) return [];
    if (otherPath(question, (root) => rulesAbout(root, byRoot).includes(rule)).ok) return [];
    const facts = { rule: rule.id, from, evidence: { root: certificateName(anchor), days: null } };
    return rule.kind === 'no_certificates'
      ? [
          {
            code: 'refused_from',
            severity: 'upcoming',
            fingerprint,
            facts: { kind: 'refused_from', ...facts },
            clients,
          },
        ]
      : [
          {
            code: 'renewal_changes',
            severity: 'note',
            fingerprint,
            facts: { kind: 'renewal_changes', ...facts },
          },
        ];
  });
}

/** Reports the rules for new certificates that began or begin within the validity of the leaf and that the leaf does not follow. */
function renewalFindings(
  leaf: Certificate,
  { lifetimes, purposes }: ReturnType<typeof indexRules>,
): DatedFinding[] {
  const { fingerprint, notBefore, notAfter, extendedKeyUsage } = leaf;
  const isWithin = ({ start }: { start: number }): boolean => notBefore < start && start <= notAfter;
  const days = validityDays(leaf);
  // A certificate that is valid for too long already has a finding about its lifetime.
  const cap = exceededLifetimeCap(leaf) === null ? lifetimes.find(isWithin) : undefined;
  const changed = [
    ...(cap !== undefined && days > cap.maxDays ? [{ ...cap, days }] : []),
    ...(extendedKeyUsage?.includes(PURPOSE.clientAuth) === true
      ? purposes.filter(isWithin).map((rule) => ({ ...rule, days: null }))
      : []),
  ];
  return changed.map(({ id: rule, start: from, days }) => ({
    code: 'renewal_changes',
    severity: 'note',
    fingerprint,
    facts: { kind: 'renewal_changes', rule, from, evidence: { root: null, days } },
  }));
}
