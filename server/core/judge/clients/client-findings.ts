import type { Protocol } from '../../../../contract/words.ts';
import type { Certificate, ReferenceIdentifier } from '../../../pki/index.ts';
import type { ChainFinding } from '../../finding.ts';
import type { HandshakeObservation } from '../../observation.ts';
import { EXTENSION_RULES, FIELD_RULES } from './certificate-rules.ts';
import { brokenRules, type ClientRule } from './client-rule.ts';
import { HANDSHAKE_RULES } from './handshake-rules.ts';
import { HOST_RULES, NAME_RULES } from './name-rules.ts';
import { POLICY_RULES } from './policy-rules.ts';

const LINK_RULES = [...FIELD_RULES, ...EXTENSION_RULES, ...NAME_RULES];

/** Returns what some clients refuse in the certificates of a valid path, leaf first, anchor last. */
export function pathRefusals(
  path: readonly Certificate[],
  reference: ReferenceIdentifier,
  protocol: Protocol,
): ChainFinding[] {
  const [leaf] = path;
  if (leaf === undefined) return [];
  // A leaf that is itself the anchor is the whole path.
  const ofLinks = path.slice(0, Math.max(1, path.length - 1)).flatMap((certificate, index) => {
    const issuer = path[index + 1] ?? certificate;
    const isLeaf = index === 0;
    const link = { certificate, issuer, isLeaf, leaf, authoritiesBelow: index - 1 };
    return brokenRules(LINK_RULES, link, isLeaf ? 'leaf' : 'intermediate', protocol);
  });
  return [...ofLinks, ...brokenRules(HOST_RULES, { certificate: leaf, reference }, 'leaf', protocol)];
}

/** Go also parses the extensions of certificates outside the path, and refuses the connection if one is malformed. */
const COMPANION_RULES: readonly ClientRule<{ certificate: Certificate }>[] = [
  {
    code: 'malformed_companion',
    clients: ['go'],
    source: 'measured; parser.go of Go 1.25',
    applies: ({ certificate: { parseErrors } }) => parseErrors.length > 0,
  },
];

/** Returns what some clients refuse in the certificates that a server sends although its path does not need them. */
export function companionRefusals(
  sent: readonly Certificate[],
  path: readonly Certificate[],
  protocol: Protocol,
): ChainFinding[] {
  const needed = new Set(path.map(({ fingerprint }) => fingerprint));
  return sent
    .filter(({ fingerprint }) => !needed.has(fingerprint))
    .flatMap((certificate) => brokenRules(COMPANION_RULES, { certificate }, 'intermediate', protocol));
}

/** Returns what some clients refuse in a leaf as one handshake shows it. */
export function handshakeRefusals(
  leaf: Certificate,
  seen: Pick<HandshakeObservation, 'tlsVersion' | 'cipher' | 'legacyTls'> & {
    isPublic: boolean;
    hasStapledTimestamp: boolean;
  },
  protocol: Protocol,
): ChainFinding[] {
  const hasTimestamp = seen.hasStapledTimestamp || leaf.signedCertificateTimestamps.length > 0;
  const context = { certificate: leaf, ...seen, hasTimestamp };
  return [
    ...brokenRules(HANDSHAKE_RULES, context, 'leaf', protocol),
    ...brokenRules(POLICY_RULES, context, 'leaf', protocol),
  ];
}
