import { type Certificate, subjectPublicKeyHash } from '../../../pki/certificate.ts';
import type { ClientRule, PathLink } from './client-rule.ts';
import { NAME_RULES } from './name-rules.ts';

/** A certificate that a server sends although its path does not need it. */
interface Companion {
  certificate: Certificate;
  anchor: Certificate;
}

/** Rules about the certificates that a server sends although its path does not need them. */
export const EXTRA_CERTIFICATE_RULES = [
  {
    code: 'malformed_companion',
    why: 'a part of it cannot be read',
    fix: 'Leave this certificate out of the file that your server sends.',
    isForOwner: true,
    clients: ['go'],
    source: 'measured: Go reads all certificates; parser.go of Go 1.25',
    applies({ certificate }) {
      const link = {
        certificate,
        issuer: certificate,
        leaf: certificate,
        isBelowAnchor: false,
        isLeaf: false,
        authoritiesBelow: 0,
      };
      return (
        certificate.parseErrors.length > 0 ||
        NAME_RULES.some((rule: ClientRule<PathLink>) => rule.stopsParsing === true && rule.applies(link))
      );
    },
  },
  {
    code: 'forged_root',
    why: 'it has the name of a trusted root, but another key',
    fix: 'Leave this certificate out of the file that your server sends.',
    isForOwner: true,
    clients: ['java'],
    source: 'measured',
    applies: ({ certificate, anchor }) =>
      certificate.selfIssued &&
      certificate.subject.comparisonKey === anchor.subject.comparisonKey &&
      subjectPublicKeyHash(certificate) !== subjectPublicKeyHash(anchor),
  },
] as const satisfies readonly ClientRule<Companion>[];

const ONE_ROOT =
  'Remove the root that does not fit from the trusted roots, or have certificates issued whose authority key identifier names the key of their issuer.';

/** Rules about clients that choose one issuer for each certificate. Which of these clients refuse depends on the chain. */
export const ISSUER_RULES = [
  {
    code: 'first_issuer',
    why: 'they use the first certificate that the server sends for an issuer, or a root that they know, and these lead to no trusted root',
    fix: 'Remove the certificates that are not needed from the file that your server sends.',
    isForOwner: true,
    clients: ['openssl', 'java', 'gnutls'],
    source: 'measured',
    applies: () => true,
  },
  {
    code: 'several_roots',
    why: 'several trusted roots have the name of its issuer, and they try only one, which is the wrong one',
    fix: ONE_ROOT,
    clients: ['openssl', 'gnutls'],
    source: 'measured',
    applies: () => true,
  },
  {
    code: 'root_order',
    why: 'several trusted roots fit, and they try only one: OpenSSL the first in its store, GnuTLS the last, Java any',
    fix: ONE_ROOT,
    isUncertain: true,
    severity: 'warning',
    clients: ['openssl', 'java', 'gnutls'],
    source: 'measured',
    applies: () => true,
  },
] as const satisfies readonly ClientRule<unknown>[];

/** The rule about a valid path that Java does not find. */
export const UNORDERED_RULE = {
  code: 'long_unordered_path',
  why: 'more than 5 intermediate certificates are needed, and the server does not send exactly these in their order',
  fix: 'Send the certificate and then its intermediates, each followed by the one that signed it, and no others.',
  isForOwner: true,
  clients: ['java'],
  source: 'measured; engineValidate in PKIXValidator.java, maxPathLength of PKIXBuilderParameters in OpenJDK',
  applies: () => true,
} as const satisfies ClientRule<unknown>;
