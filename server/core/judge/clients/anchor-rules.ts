import { type Client, CLIENTS } from '../../../../contract/check-words.ts';
import { arePoliciesSatisfied } from '../../../pki/certificate-policies.ts';
import type { Certificate } from '../../../pki/certificate.ts';
import type { PathFailureCode } from '../../../pki/path-failure.ts';
import type { TrustStore } from '../../../pki/trust-store.ts';
import { type ClientRule, FIX_AUTHORITY } from './client-rule.ts';
import { clientsRefusingMalformed } from './extension-rules.ts';

/*
 * What clients check of an anchor itself, measured. Sources: ProcessRootCertificate in BoringSSL, x509_vfy.c in OpenSSL, PKIXParameters
 * and verifyTrustAnchor in Java, CheckIssuerIndependentProperties in mozilla::pkix, CheckSignatureFrom in Go, verify_crt in GnuTLS.
 */

/** The clients that we measured, without Java. Apple processes no constraints of an anchor. What Windows does is not known. */
const MEASURED: readonly Client[] = ['chromium', 'firefox', 'openssl', 'go', 'gnutls'];
const CHECKING_PURPOSES: readonly Client[] = ['chromium', 'firefox', 'openssl', 'go'];

/** Server gated crypto of Netscape and of Microsoft. OpenSSL accepts either instead of serverAuth (`check_purpose_ssl_server` in v3_purp.c). */
const GATED_SERVERS = ['2.16.840.1.113730.4.1', '1.3.6.1.4.1.311.10.3.3'];

const isForGatedServers = ({ extendedKeyUsage }: Certificate): boolean =>
  extendedKeyUsage?.some((purpose) => GATED_SERVERS.includes(purpose)) === true;

/** Returns whether the name constraints only permit directory names and URIs. GnuTLS does not compare these (name_constraints.c). */
function permitsUncheckedNamesOnly({ nameConstraints }: Certificate): boolean {
  const { permitted = [], excluded = [] } = nameConstraints ?? {};
  return excluded.length === 0 && permitted.every(({ kind }) => kind === 'directory' || kind === 'uri');
}

/** Returns the clients that refuse a path because of a failure of its anchor. */
export function clientsRefusingAnchor(
  code: PathFailureCode,
  anchor: Certificate,
  trustStore: TrustStore,
): readonly Client[] {
  const refusing = refusingAdded(code, anchor);
  // Chrome uses only the name and the key of the roots that it ships: the flags enforce_anchor_constraints and
  // enforce_anchor_expiry of ChromeRootCertInfo are false by default.
  return trustStore.isPublic(anchor.fingerprint)
    ? refusing.filter((client) => client !== 'chromium')
    : refusing;
}

function refusingAdded(code: PathFailureCode, anchor: Certificate): readonly Client[] {
  switch (code) {
    case 'expired':
    case 'not_yet_valid':
      // Apple: kSecPolicyCheckValidRoot in SecPolicyAddBasicX509Options.
      return ['apple', ...MEASURED];
    case 'name_constraints':
      return permitsUncheckedNamesOnly(anchor) ? MEASURED.filter((client) => client !== 'gnutls') : MEASURED;
    case 'path_length':
    case 'unknown_critical_extension':
      return MEASURED;
    case 'extended_key_usage':
      return CHECKING_PURPOSES.filter((client) => client !== 'openssl' || !isForGatedServers(anchor));
    case 'not_a_ca':
      if (anchor.basicConstraints !== null) return CLIENTS;
      // OpenSSL accepts the key usage keyCertSign instead of basicConstraints (check_ca in v3_purp.c). The anchor has version 3, because older
      // versions need no basicConstraints.
      return anchor.keyUsage === null ? ['firefox', 'openssl', 'go', 'java'] : ['firefox', 'go', 'java'];
    case 'malformed':
      return clientsRefusingMalformed(anchor).filter((client) => client !== 'java');
    default:
      return CLIENTS;
  }
}

/** The anchor of a valid path. */
interface Anchored {
  certificate: Certificate;
  /** The path, leaf first, anchor last. */
  path: readonly Certificate[];
  trustStore: TrustStore;
}

/** Rules about an anchor and the path below it. */
export const ANCHORED_RULES = [
  {
    code: 'anchor_policy',
    why: 'it demands a certificate policy that the certificates below it do not have',
    fix: FIX_AUTHORITY,
    isForOwner: true,
    clients: ['chromium'],
    source: 'measured; ApplyTrustAnchorConstraints in BoringSSL, for roots that a user added',
    applies: ({ certificate, path, trustStore }) =>
      !trustStore.isPublic(certificate.fingerprint) &&
      !arePoliciesSatisfied(path.slice(0, -1).toReversed(), certificate),
  },
  {
    code: 'self_issued_path_length',
    clients: ['firefox', 'go', 'gnutls'],
    source: 'measured, as for an intermediate',
    applies({ certificate, path }) {
      const limit = certificate.basicConstraints?.pathLength ?? Infinity;
      const below = path.slice(1, -1);
      // If too many of the intermediates were not self-issued, the path itself would be invalid.
      return below.length > limit && below.filter(({ selfIssued }) => !selfIssued).length <= limit;
    },
  },
  {
    code: 'partial_chain',
    why: 'it is trusted, but it is not a root; only programs that allow this accept it, such as curl and Python since 3.13',
    fix: 'Trust the root of this authority instead of its intermediate.',
    isForOwner: true,
    isOfSomePrograms: true,
    // A user who adds an intermediate here may have its root on the machines that connect.
    severity: 'note',
    clients: ['openssl'],
    source: 'measured; X509_V_FLAG_PARTIAL_CHAIN in OpenSSL; curl and Python since 3.13 set it',
    applies: ({ certificate, trustStore }) =>
      !certificate.selfIssued && trustStore.withSubject(certificate.issuer).length === 0,
  },
] as const satisfies readonly ClientRule<Anchored>[];
