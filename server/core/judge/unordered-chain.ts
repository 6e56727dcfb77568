import type { Protocol } from '../../../contract/protocols.ts';
import { type Certificate, subjectPublicKeyHash } from '../../pki/certificate.ts';
import { buildPath } from '../../pki/path.ts';
import type { TrustStore } from '../../pki/trust-store.ts';
import type { ChainFinding } from '../finding.ts';
import { refusalsBy } from './clients/client-rule.ts';
import { UNORDERED_RULE } from './clients/sent-rules.ts';
import type { SentChain } from './first-issuer.ts';

/** Maximum number of intermediates, not counting self-issued ones, in a path that Java builds. */
const BUILT_BY_JAVA = 5;

/**
 * Reports a valid path that Java refuses. If each sent certificate is followed by its issuer, up to a trusted one, Java verifies them in this
 * order. Otherwise it searches for a path, but only for one of at most `BUILT_BY_JAVA` intermediates.
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
  return built.ok || work.isExhausted
    ? []
    : refusalsBy([UNORDERED_RULE], { certificate: leaf }, 'leaf', protocol);
}

/** Returns whether each certificate is followed by one with its issuer's name, up to a trust anchor. The anchor itself need not be sent. */
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
