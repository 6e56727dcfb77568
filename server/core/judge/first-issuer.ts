import type { Client } from '../../../contract/check-words.ts';
import type { Protocol } from '../../../contract/protocols.ts';
import { isSignedBy, validityFailure } from '../../pki/certificate-checks.ts';
import { type Certificate, subjectPublicKeyHash } from '../../pki/certificate.ts';
import { EXTENSION } from '../../pki/der/object-identifiers.ts';
import { buildPath } from '../../pki/path.ts';
import { isKeyFor } from '../../pki/signature.ts';
import { filterTrustStore, type TrustStore } from '../../pki/trust-store.ts';
import type { WorkBudget } from '../../pki/work-budget.ts';
import type { ChainFinding } from '../finding.ts';
import { type ClientRule, refusalsBy } from './clients/client-rule.ts';
import { anchorRefusals, linkRefusals } from './clients/client-findings.ts';
import { namesOtherIssuer } from './clients/extension-rules.ts';
import { ISSUER_RULES } from './clients/sent-rules.ts';
import { pathFaults } from '../findings/path.ts';

/** The certificates that a server sends, and the trust store and the time by which a client verifies them. */
export interface SentChain {
  leaf: Certificate;
  /** Certificates that the server sent after the leaf, in that order. */
  sent: readonly Certificate[];
  trustStore: TrustStore;
  now: number;
  work: WorkBudget;
}

type Code = (typeof ISSUER_RULES)[number]['code'];

/**
 * Reports clients that refuse a chain although a path is valid, because they choose one issuer for each certificate and never go
 * back. We do not know the order of the roots in a client's store, so this assumes ours. Refusals that depend on the order are warnings.
 */
export function firstIssuerRefusals(
  choice: SentChain,
  path: readonly Certificate[],
  protocol: Protocol,
): ChainFinding[] {
  // Missing certificates have a finding of their own. A trusted leaf needs no issuer.
  if (path.length === 1 || path.slice(1, -1).some((one) => !choice.sent.includes(one))) return [];
  const rules: ClientRule<unknown, Code>[] = [];
  const add = (code: Code, client: Client): void => {
    for (const rule of ISSUER_RULES) if (rule.code === code) rules.push({ ...rule, clients: [client] });
  };
  for (const client of ['openssl', 'gnutls'] as const) {
    const { below, roots } = client === 'openssl' ? pathOfOpenssl(choice) : pathOfGnutls(choice);
    const isWrong = (root: Certificate | null): boolean =>
      !isSamePath(root === null ? below : [...below, root], path) &&
      isRefused(choice, below, root, client, protocol);
    const [first = null, ...others] = roots;
    if (isWrong(first)) add(others.length === 0 ? 'first_issuer' : 'several_roots', client);
    else if (others.some(isWrong)) add('root_order', client);
  }
  const unusable = unusableRoots(choice, path);
  // Java ends the path at a certificate with the name and the key of a root. Otherwise hash codes decide which root it tries first.
  const isCertain = unusable.some(
    (root) => !isSameAuthority(root, path.at(-1)) && choice.sent.some((one) => isSameAuthority(one, root)),
  );
  if (unusable.length > 0) add(isCertain ? 'first_issuer' : 'root_order', 'java');
  return refusalsBy(rules, { certificate: choice.leaf }, 'leaf', protocol);
}

/**
 * Returns the roots that signed the leaf or a sent certificate although they may not sign certificates, except the root of the path. Java tries
 * no other root after one of these (measured; engineValidate and verifyTrustAnchor in PKIXValidator.java).
 */
function unusableRoots(
  { leaf, sent, trustStore, work }: SentChain,
  path: readonly Certificate[],
): Certificate[] {
  const anchor = path.at(-1);
  return [leaf, ...sent].flatMap((child) =>
    rootsFor(child, trustStore).filter(
      (root) =>
        root.version === 3 &&
        !(root.isCertificateAuthority && maySign(root)) &&
        root.fingerprint !== anchor?.fingerprint &&
        mayHaveIssued(root, child) &&
        isSignedBy(child, root, work),
    ),
  );
}

function isSameAuthority(left: Certificate, right: Certificate | undefined): boolean {
  return (
    left.subject.comparisonKey === right?.subject.comparisonKey &&
    subjectPublicKeyHash(left) === subjectPublicKeyHash(right)
  );
}

interface ChosenPath {
  /** Leaf first; without the root. */
  below: Certificate[];
  /** Possible roots. The client uses one of them, depending on the order of its store: the first one if it has our order. May be empty. */
  roots: Certificate[];
}

/**
 * Returns the path that OpenSSL uses. It prefers a root to a sent certificate, even if the root has expired; among the roots and among the sent
 * certificates it prefers valid ones. Source: measured; build_chain in x509_vfy.c.
 */
function pathOfOpenssl({ leaf, sent, trustStore, now }: SentChain): ChosenPath {
  const below = [leaf];
  const isValid = (one: Certificate): boolean => validityFailure(one, now) === null;
  for (let child = leaf; ;) {
    const isIssuer = (one: Certificate): boolean =>
      mayHaveIssued(one, child) &&
      // OpenSSL refuses CA certificates with proxyCertInfo before it compares names (ossl_x509v3_cache_extensions).
      !one.extensions.has(EXTENSION.proxyCertInfo) &&
      isKeyFor(one.key, child.signature.algorithm) &&
      !namesOtherIssuer(child, one);
    const roots = rootsFor(child, trustStore).filter(isIssuer);
    const valid = roots.filter(isValid);
    if (valid.length > 0) return { below, roots: valid };
    if (roots.length > 0) return { below, roots: roots.toSorted(latestFirst).slice(0, 1) };
    const issuers = sent.filter((one) => isIssuer(one) && maySign(one) && !below.includes(one));
    const next = issuers.find(isValid) ?? issuers[0];
    if (next === undefined) return { below, roots: [] };
    below.push(next);
    child = next;
  }
}

/**
 * Returns the path that GnuTLS uses: that of the sent certificates if it leads to a root and is valid now. Otherwise the path ends as soon as
 * valid roots fit, with the last of them. Source: measured; find_issuer in verify.c of GnuTLS 3.8.
 */
function pathOfGnutls(choice: SentChain): ChosenPath {
  const isValid = (one: Certificate): boolean => validityFailure(one, choice.now) === null;
  const sentFirst = walkOfGnutls(choice, false);
  const isUsable = [...sentFirst.below.slice(1), ...sentFirst.roots.slice(0, 1)].every(isValid);
  return isUsable && sentFirst.roots.length > 0 ? sentFirst : walkOfGnutls(choice, true);
}

function walkOfGnutls({ leaf, sent, trustStore, now }: SentChain, prefersRoots: boolean): ChosenPath {
  const below = [leaf];
  for (let child = leaf; ;) {
    const roots = rootsFor(child, trustStore).filter((one) => mayHaveIssued(one, child));
    const valid = roots.filter((one) => validityFailure(one, now) === null).toReversed();
    if (prefersRoots && valid.length > 0) return { below, roots: valid };
    const next = sent.find((one) => mayHaveIssued(one, child) && maySign(one) && !below.includes(one));
    if (next === undefined || mayHaveIssued(next, next))
      return { below, roots: valid.length > 0 ? valid : roots.slice(0, 1) };
    below.push(next);
    child = next;
  }
}

const rootsFor = (child: Certificate, trustStore: TrustStore): Certificate[] =>
  trustStore.withSubject(child.issuer).map(({ certificate }) => certificate);

const maySign = ({ keyUsage }: Certificate): boolean => keyUsage?.has('keyCertSign') !== false;

const latestFirst = (left: Certificate, right: Certificate): number => right.notAfter - left.notAfter;

/** Returns whether the names and the key identifiers match. Does not verify the signature. */
function mayHaveIssued({ subject, subjectKeyIdentifier }: Certificate, child: Certificate): boolean {
  const wanted = child.authorityKeyIdentifier?.keyIdentifier ?? null;
  return (
    subject.comparisonKey === child.issuer.comparisonKey &&
    (wanted === null || subjectKeyIdentifier === null || wanted === subjectKeyIdentifier)
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
  below: readonly Certificate[],
  root: Certificate | null,
  client: Client,
  protocol: Protocol,
): boolean {
  const only = filterTrustStore(trustStore, ({ certificate }) => certificate === root);
  const intermediates = below.slice(1);
  const result = buildPath({ leaf, intermediates, trustStore: only, now, work, ignoreLeafValidity: true });
  const found = result.ok ? result : result.tolerable;
  if (found === null) return !work.isExhausted;
  const { path, anchorFailures } = found;
  const named = new Map(path.map((one) => [one.fingerprint, one]));
  return [
    ...pathFaults(anchorFailures, named, protocol, only),
    ...path.slice(1, -1).flatMap((_, index) => linkRefusals(path, index + 1, protocol)),
    ...anchorRefusals(path, trustStore, protocol),
  ].some(({ clients }) => clients?.includes(client));
}
