import type { Protocol } from '../../../contract/protocols.ts';
import { buildPath, type Certificate, subjectPublicKeyHash, type TrustStore } from '../../pki/index.ts';
import type { ChainFinding } from '../finding.ts';
import { brokenRules, type ClientRule } from './clients/client-rule.ts';
import type { SentChain } from './first-issuer.ts';

/** Most intermediates, apart from self-issued ones, of a path that Java builds itself. */
const BUILT_BY_JAVA = 5;

const RULE: ClientRule<{ certificate: Certificate }> = {
  code: 'long_unordered_path',
  clients: ['java'],
  source: 'measured; engineValidate in PKIXValidator.java, maxPathLength of PKIXBuilderParameters in OpenJDK',
  applies: () => true,
};

/**
 * Reports that Java refuses a valid path: it verifies the certificates as they were sent if each is followed by its issuer, up
 * to a trusted one. Otherwise it builds a path itself, and only a short one.
 */
export function unorderedRefusals(
  { leaf, sent, trustStore, now, work }: SentChain,
  path: readonly Certificate[],
  protocol: Protocol,
): ChainFinding[] {
  const needed = path.slice(1, -1).filter(({ selfIssued }) => !selfIssued);
  if (needed.length <= BUILT_BY_JAVA || isInOrder([leaf, ...sent], trustStore)) return [];
  const question = { leaf, intermediates: sent, trustStore, now, work, ignoreLeafValidity: true };
  const built = buildPath({ ...question, maxDepth: BUILT_BY_JAVA });
  return built.ok || work.isExhausted ? [] : brokenRules([RULE], { certificate: leaf }, 'leaf', protocol);
}

/** Returns whether each certificate is followed by one with the name of its issuer, until a trusted one follows. */
function isInOrder(chain: readonly Certificate[], trustStore: TrustStore): boolean {
  for (const [index, one] of chain.entries()) {
    const anchors = trustStore.withSubject(one.issuer);
    const next = chain[index + 1];
    if (next === undefined) return anchors.length > 0;
    if (next.subject.comparisonKey !== one.issuer.comparisonKey) return false;
    const key = subjectPublicKeyHash(next);
    if (anchors.some(({ certificate }) => subjectPublicKeyHash(certificate) === key)) return true;
  }
  return true;
}
