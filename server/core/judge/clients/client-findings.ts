import type { Protocol } from '../../../../contract/protocols.ts';
import type { Certificate } from '../../../pki/certificate.ts';
import type { ReferenceIdentifier } from '../../../pki/names/reference-identifier.ts';
import type { TrustStore } from '../../../pki/trust-store.ts';
import type { ChainFinding } from '../../finding.ts';
import type { ClientRuleCode } from '../../findings/clients.ts';
import type { HandshakeObservation } from '../../observation.ts';
import { ANCHORED_RULES } from './anchor-rules.ts';
import { type ClientRule, type PathLink, refusalsBy } from './client-rule.ts';
import { emailRefusals } from './email-rules.ts';
import { EXTENSION_RULES } from './extension-rules.ts';
import { FIELD_RULES } from './field-rules.ts';
import { HANDSHAKE_RULES, POLICY_RULES } from './handshake-rules.ts';
import { PATH_RULES, type SentMessage, SIZE_RULES } from './limit-rules.ts';
import { HOST_RULES, NAME_RULES } from './name-rules.ts';
import { EXTRA_CERTIFICATE_RULES } from './sent-rules.ts';

const RULES: readonly ClientRule<PathLink, ClientRuleCode>[] = [...FIELD_RULES, ...EXTENSION_RULES];
const LINK_RULES = [...RULES.filter(({ ofAnchor }) => ofAnchor !== 'only'), ...NAME_RULES];
const ANCHOR_RULES = RULES.filter(({ ofAnchor }) => ofAnchor !== 'never').map((rule) =>
  // Java takes only the name and the key of an anchor (PKIXParameters).
  rule.ofAnchor === 'only' ? rule : { ...rule, clients: rule.clients.filter((client) => client !== 'java') },
);

/**
 * Returns what some clients refuse in the certificates of a valid path, leaf first, anchor last. `isPublic`: whether its root belongs to a
 * public root program.
 */
export function pathRefusals(
  path: readonly Certificate[],
  trustStore: TrustStore,
  host: { reference: ReferenceIdentifier; isPublic: boolean },
  protocol: Protocol,
): ChainFinding[] {
  const [leaf] = path;
  if (leaf === undefined) return [];
  return [
    ...path.slice(0, Math.max(path.length - 1, 1)).flatMap((_, index) => linkRefusals(path, index, protocol)),
    ...refusalsBy(HOST_RULES, { certificate: leaf, ...host }, 'leaf', protocol),
    ...refusalsBy(PATH_RULES, { certificate: leaf, path }, 'leaf', protocol),
    ...emailRefusals(path, protocol),
    ...anchorRefusals(path, trustStore, protocol),
  ];
}

/** Returns what some clients refuse in the anchor of a valid path. */
export function anchorRefusals(
  path: readonly Certificate[],
  trustStore: TrustStore,
  protocol: Protocol,
): ChainFinding[] {
  const certificate = path.at(-1);
  if (certificate === undefined || path.length === 1) return [];
  return [
    ...linkRefusals(path, path.length - 1, protocol),
    ...refusalsBy(ANCHORED_RULES, { certificate, path, trustStore }, 'intermediate', protocol),
  ];
}

/** Returns what some clients refuse in one certificate of a valid path. */
export function linkRefusals(
  path: readonly Certificate[],
  index: number,
  protocol: Protocol,
): ChainFinding[] {
  const [leaf, certificate] = [path[0], path[index]];
  if (leaf === undefined || certificate === undefined) return [];
  const isLeaf = index === 0;
  const isAnchor = !isLeaf && index === path.length - 1;
  const issuer = path[index + 1] ?? certificate;
  const isBelowAnchor = index === path.length - 2;
  const link: PathLink = { certificate, issuer, isBelowAnchor, isLeaf, leaf, authoritiesBelow: index - 1 };
  return refusalsBy(isAnchor ? ANCHOR_RULES : LINK_RULES, link, isLeaf ? 'leaf' : 'intermediate', protocol);
}

/** Returns what some clients refuse in the sent certificates that are not on the path. */
export function sentCertificateRefusals(
  sent: readonly Certificate[],
  path: readonly Certificate[],
  protocol: Protocol,
): ChainFinding[] {
  const anchor = path.at(-1);
  if (anchor === undefined) return [];
  const needed = new Set(path.map(({ fingerprint }) => fingerprint));
  return sent
    .filter(({ fingerprint }) => !needed.has(fingerprint))
    .flatMap((certificate) =>
      refusalsBy(EXTRA_CERTIFICATE_RULES, { certificate, anchor }, 'intermediate', protocol),
    );
}

/** Returns what some clients refuse in a leaf as one handshake shows it. */
export function handshakeRefusals(
  leaf: Certificate,
  seen: Omit<SentMessage, 'certificate'> &
    Pick<HandshakeObservation, 'cipher' | 'group' | 'legacyTls' | 'rareSignature' | 'alpn'> & {
      isPublic: boolean;
      hasStapledTimestamp: boolean;
    },
  protocol: Protocol,
): ChainFinding[] {
  const hasTimestamp = seen.hasStapledTimestamp || leaf.certificateTimestamps.timestamps.length > 0;
  const context = { certificate: leaf, ...seen, hasTimestamp };
  return [
    ...refusalsBy(HANDSHAKE_RULES, context, 'leaf', protocol),
    ...refusalsBy(POLICY_RULES, context, 'leaf', protocol),
    ...refusalsBy(SIZE_RULES, context, 'leaf', protocol),
  ];
}
