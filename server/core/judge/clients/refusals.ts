import { type Protocol } from '../../../../contract/protocols.ts';
import { type Client, CLIENT_NAMES, CLIENTS } from '../../../../contract/check-words.ts';
import { type Certificate, EXTENSION, unknownCriticalExtensions } from '../../../pki/index.ts';
import type { Finding, FindingCode } from '../../finding.ts';
import type { Http2Fault, RevocationProblem } from '../../observation.ts';
import type { Verdict } from '../../verdict.ts';
import { ACCEPTING_SINCE, connectsTo } from './client-rule.ts';

/** Clients that neither fetch nor keep intermediates that a server does not send. */
const WITHOUT_FETCHING: readonly Client[] = ['openssl', 'go', 'java', 'gnutls'];
/** Below a private root, Firefox cannot complete a chain either: it fetches no intermediates, and ships only those of public CAs (measured). */
const WITHOUT_PRIVATE: readonly Client[] = ['firefox', ...WITHOUT_FETCHING];

/** Clients that refuse a certificate with “must staple” without a stapled OCSP response (measured). */
export const DEMANDING_STAPLE: readonly Client[] = ['firefox', 'gnutls'];

/**
 * Clients that enforce the lifetimes of the Baseline Requirements §6.3.2 (HasTooLongValidity in Chromium; Apple:
 * support.apple.com/102028).
 */
export const LIMITING_LIFETIMES: readonly Client[] = ['chromium', 'apple'];

/** Clients that refuse a server if any certificate that it sends cannot be decoded (measured for Go and Java; gnutls_x509_crt_import in GnuTLS). */
export const READING_ALL: readonly Client[] = ['go', 'java', 'gnutls'];

/** Clients that check certificate policies (measured). */
const CHECKING_POLICIES: readonly Client[] = ['chromium', 'go', 'java', 'gnutls'];

/** Clients that fail because of each fault of HTTP/2 (measured). Safari was not measured: it is named where all others fail. */
export const FAILING_BY_HTTP2: Record<Http2Fault, readonly Client[]> = {
  no_answer: ['chromium', 'firefox', 'apple', 'go', 'java'],
  garbage: ['chromium', 'firefox', 'apple', 'go', 'java'],
  malformed_settings: ['chromium', 'firefox', 'apple', 'go', 'java'],
  malformed_frame: ['chromium', 'firefox', 'apple', 'go', 'java'],
  large_frame: ['chromium', 'firefox', 'java'],
  forbidden_frame: ['chromium', 'firefox', 'go'],
  no_settings: ['chromium', 'go', 'java'],
  switched_protocols: ['go', 'java'],
  http1_required: ['go', 'java'],
  late_settings: ['go'],
  invalid_window: ['go'],
  invalid_frame_size: ['firefox'],
  second_status: ['chromium', 'go'],
  request_field: ['firefox', 'go'],
  unknown_pseudo_field: ['firefox', 'go', 'java'],
  transfer_encoding: ['chromium'],
  several_lengths: ['firefox'],
  invalid_length: ['java'],
  connection_field: [],
  odd_settings: [],
};

/** The clients that refuse an endpoint because of a finding, if not all of them do. */
const BY_CODE: Partial<Record<FindingCode, readonly Client[]>> = {
  lifetime_too_long: LIMITING_LIFETIMES,
  distrusted_root: ['chromium'],
  // The other clients check neither CRL nor OCSP, or use only their own lists, such as CRLSets.
  revoked: ['firefox', 'apple'],
  intermediate_revoked: ['chromium', 'firefox', 'apple'],
  staple_missing: DEMANDING_STAPLE,
};

/** Returns who refuses a server that speaks only TLS 1.0 or 1.1, or only outdated ciphers and signatures of TLS 1.2 (measured). */
export function refusingOldTls({ tlsVersion }: { tlsVersion: string }, protocol: Protocol): Client[] {
  const refusing: readonly Client[] =
    tlsVersion === 'TLSv1.2' || tlsVersion === 'TLSv1.3'
      ? ['chromium', 'firefox', 'go', 'gnutls']
      : CLIENTS.filter((client) => client !== 'gnutls');
  return refusing.filter(connectsTo(protocol));
}

/** Returns the clients that refuse the endpoint because of a finding. */
export function clientsRefusing({
  code,
  severity,
  facts,
  keyType,
  shownTo,
  clients,
}: Pick<Finding, 'code' | 'severity' | 'facts' | 'keyType' | 'shownTo' | 'clients'>): readonly Client[] {
  if (severity === 'note' || (keyType !== null && shownTo === undefined)) return [];
  if (clients !== undefined) return clients;
  const isIncomplete = facts.kind === 'missing_intermediates' || facts.kind === 'outdated_intermediate';
  if (isIncomplete && facts.isUnfetchable !== true)
    return facts.isPrivate === true ? WITHOUT_PRIVATE : WITHOUT_FETCHING;
  if (facts.kind === 'path_fault' && facts.fault === 'weak_key' && facts.key.type === 'rsa')
    return refusingRsa(facts.key.bits);
  // Measured: Java refuses SHA-1 only below the roots that it ships, but in the RSA-PSS signature of a leaf below every root.
  if (facts.kind === 'path_fault' && facts.fault === 'weak_signature' && /SHA-?1$/i.test(facts.algorithm))
    return facts.authority === null && facts.algorithm.startsWith('RSA-PSS')
      ? CLIENTS
      : CLIENTS.filter((client) => client !== 'java');
  if (facts.kind === 'path_fault' && facts.fault === 'policy') return CHECKING_POLICIES;
  if (facts.kind === 'staple_invalid') return refusingStaple(facts.why);
  if (facts.kind === 'revoked' && facts.source === 'staple') return READING_STAPLES;
  return BY_CODE[code] ?? (severity === 'critical' ? CLIENTS : []);
}

/** Returns the clients whose current version refuses the endpoint because of a finding. */
export function clientsRefusingNow(finding: Parameters<typeof clientsRefusing>[0]): readonly Client[] {
  const { facts } = finding;
  // Whether they refuse depends on the order of the roots in their stores, which we do not know.
  if (facts.kind === 'refused_by_clients' && facts.rule === 'root_order') return [];
  const since = facts.kind === 'refused_by_clients' ? ACCEPTING_SINCE[facts.rule] : undefined;
  return clientsRefusing(finding).filter((client) => since?.[client] === undefined);
}

/**
 * Returns for each client that speaks the protocol whether it connects to every address that answers; empty if no certificate
 * was read.
 */
export function connectingClients(
  { reached, findings }: Pick<Verdict, 'reached' | 'findings'>,
  protocol: Protocol,
): { client: Client; name: string; connects: boolean }[] {
  const refusing = new Set(findings.flatMap(clientsRefusingNow));
  return reached
    ? CLIENTS.filter(connectsTo(protocol)).map((client) => ({
        client,
        name: CLIENT_NAMES[client],
        connects: !refusing.has(client),
      }))
    : [];
}

/** Clients that refuse a certificate because of a stapled OCSP response that says revoked (measured). */
const READING_STAPLES: readonly Client[] = ['chromium', 'firefox', 'apple', 'gnutls'];

/** Returns who refuses a server because of an OCSP response that it staples and that proves nothing (measured). */
export function refusingStaple(why: RevocationProblem): readonly Client[] {
  if (why === 'malformed') return ['firefox', 'java', 'gnutls'];
  if (['bad_signature', 'weak_signature', 'unknown_signature'].includes(why)) return ['firefox', 'gnutls'];
  if (why === 'responder_refused' || why === 'not_yet_valid') return ['firefox'];
  return ['gnutls'];
}

/** Returns who refuses a weak RSA key of this size (measured; Apple: support.apple.com/103769). */
function refusingRsa(bits: number): readonly Client[] {
  if (bits < 1024) return CLIENTS;
  return bits < 2048 ? ['openssl', 'apple'] : ['chromium', 'go'];
}

const MALFORMED: Readonly<Record<string, readonly Client[]>> = {
  [EXTENSION.keyUsage]: ['openssl', 'chromium', 'firefox', 'java', 'go'],
  [EXTENSION.extendedKeyUsage]: ['openssl', 'chromium', 'firefox', 'go', 'gnutls'],
  [EXTENSION.basicConstraints]: ['openssl', 'chromium', 'firefox', 'go', 'java'],
  [EXTENSION.nameConstraints]: ['openssl', 'chromium', 'go'],
  [EXTENSION.certificatePolicies]: ['chromium', 'go'],
  [EXTENSION.policyMappings]: ['chromium', 'go'],
  [EXTENSION.policyConstraints]: ['chromium', 'go'],
  [EXTENSION.inhibitAnyPolicy]: ['chromium', 'go'],
};

/** Returns who refuses a certificate because of its malformed extensions (measured). */
export function refusingMalformed({ parseErrors }: Certificate): readonly Client[] {
  const refusing = new Set(parseErrors.flatMap(({ extension }) => MALFORMED[extension] ?? CLIENTS));
  return CLIENTS.filter((client) => refusing.has(client));
}

/** Clients that accept a critical extension which most do not know or do not allow to be critical (measured, except for Windows). */
const ACCEPTED_CRITICAL: Readonly<Record<string, readonly Client[]>> = {
  // Windows defines this extension, and Chrome accepts it too.
  [EXTENSION.applicationPolicies]: ['chromium', 'windows'],
  [EXTENSION.authorityInformationAccess]: ['firefox', 'gnutls'],
  [EXTENSION.issuerAltName]: ['gnutls'],
  [EXTENSION.proxyCertInfo]: ['gnutls'],
};

/** Returns the clients that refuse at least one unknown critical extension of the certificate. */
export function refusingCritical(certificate: Certificate): readonly Client[] {
  const unknown = unknownCriticalExtensions(certificate).map(
    (extension) => ACCEPTED_CRITICAL[extension] ?? [],
  );
  return CLIENTS.filter((client) => unknown.some((accepting) => !accepting.includes(client)));
}
