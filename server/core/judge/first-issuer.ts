import type { Protocol } from '../../../contract/protocols.ts';
import {
  buildPath,
  type Certificate,
  EXTENSION,
  type TrustStore,
  validityFailure,
  type WorkBudget,
} from '../../pki/index.ts';
import type { ChainFinding } from '../finding.ts';
import { brokenRules, type ClientRule } from './clients/client-rule.ts';
import { linkRefusals } from './clients/client-findings.ts';

/** What a client learns in a handshake, and what it has itself. */
export interface SentChain {
  leaf: Certificate;
  /** Certificates that the server sent after the leaf, in that order. */
  sent: readonly Certificate[];
  trustStore: TrustStore;
  now: number;
  work: WorkBudget;
}

/**
 * Reports clients that refuse a chain although a path is valid, because they choose one issuer for each certificate and never go
 * back. Source: measured; build_chain in OpenSSL's x509_vfy.c.
 */
export function firstIssuerRefusals(
  choice: SentChain,
  path: readonly Certificate[],
  protocol: Protocol,
): ChainFinding[] {
  // If certificates are missing, that is the reason to report.
  if (path.slice(1, -1).some((one) => !choice.sent.includes(one))) return [];
  const refusing = (['openssl', 'gnutls'] as const).filter((client) => {
    const chosen = firstPath(choice, client);
    return !isSamePath(chosen, path) && isRefused(choice, chosen, client, protocol);
  });
  if (refusing.length === 0) return [];
  const rule: ClientRule<{ certificate: Certificate }> = {
    code: 'first_issuer',
    clients: refusing,
    source: 'measured; build_chain in OpenSSL',
    applies: () => true,
  };
  return brokenRules([rule], { certificate: choice.leaf }, 'leaf', protocol);
}

/**
 * Returns the path that begins with the leaf and ends with a root, or where no issuer was found. OpenSSL uses a root that it has
 * even if it has expired, and otherwise prefers valid certificates. GnuTLS uses the first one that was sent.
 */
function firstPath({ leaf, sent, trustStore, now }: SentChain, client: 'openssl' | 'gnutls'): Certificate[] {
  const path = [leaf];
  const isValid = (one: Certificate): boolean => validityFailure(one, now) === null;
  for (let child = leaf; path.length <= sent.length + 1;) {
    const isIssuer = (one: Certificate): boolean =>
      mayHaveIssued(one, child) &&
      !path.includes(one) &&
      // OpenSSL finds such a CA certificate invalid before it compares names (ossl_x509v3_cache_extensions).
      (client === 'gnutls' || !one.extensions.has(EXTENSION.proxyCertInfo));
    const anchors = trustStore.withSubject(child.issuer).map(({ certificate }) => certificate);
    const issuers = { roots: anchors.filter(isIssuer), sent: sent.filter(isIssuer) };
    const root = issuers.roots.find(isValid) ?? (client === 'openssl' ? issuers.roots[0] : undefined);
    const below = client === 'openssl' ? issuers.sent.find(isValid) : undefined;
    const next = root ?? below ?? issuers.sent[0] ?? issuers.roots[0];
    if (next === undefined) break;
    path.push(next);
    if (anchors.includes(next)) break;
    child = next;
  }
  return path;
}

/** Returns whether names, key identifier and key usage allow that one issued the other; the signature is verified later. */
function mayHaveIssued(
  { subject, subjectKeyIdentifier, keyUsage }: Certificate,
  child: Certificate,
): boolean {
  const wanted = child.authorityKeyIdentifier?.keyIdentifier ?? null;
  return (
    subject.comparisonKey === child.issuer.comparisonKey &&
    (wanted === null || subjectKeyIdentifier === null || wanted === subjectKeyIdentifier) &&
    keyUsage?.has('keyCertSign') !== false
  );
}

function isSamePath(left: readonly Certificate[], right: readonly Certificate[]): boolean {
  return (
    left.length === right.length &&
    left.every(({ fingerprint }, index) => fingerprint === right[index]?.fingerprint)
  );
}

function isRefused(
  { leaf, trustStore, now, work }: SentChain,
  chosen: readonly Certificate[],
  client: 'openssl' | 'gnutls',
  protocol: Protocol,
): boolean {
  const intermediates = chosen.slice(1);
  const alone = buildPath({ leaf, intermediates, trustStore, now, work, ignoreLeafValidity: true });
  if (!alone.ok) return !work.isExhausted;
  return chosen.some((_, index) =>
    linkRefusals(chosen, index, protocol).some(({ clients }) => index > 0 && clients?.includes(client)),
  );
}
