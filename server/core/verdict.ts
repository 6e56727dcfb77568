import type { Client, KeyType } from '../../contract/check-words.ts';
import type { Compliance, PolicyGap, TimestampStatus } from '../pki/ct/policies.ts';
import type { Delivery } from '../pki/ct/timestamp-signature.ts';
import { clients, finding, type FindingCode } from './finding.ts';
import type { RevocationSource } from './findings/revocation.ts';
import {
  caa,
  type PostureObservation,
  type PosturePart,
  type ReachFailure,
  type ReachStage,
  registration,
  type RevocationProblem,
  type UsualLeaf,
} from './observation.ts';
import {
  boolean,
  both,
  code,
  type Infer,
  list,
  nullable,
  number,
  object,
  optional,
  type Shape,
  text,
  union,
} from './shape.ts';
import type { DomainServer } from './srv.ts';

const detail = union('kind', {
  tls_alert: { alert: number },
  /**
   * The server refused us before the handshake. `code` as in `Refusal`. `refusedSince`: when the first of consecutive checks
   * met a temporary refusal, ms UTC; null if the refusal is not temporary.
   */
  refusal: { code: nullable(text), refusedSince: nullable(number) },
  /** The port must be checked by another scheme, for example `smtps`. */
  other_scheme: { scheme: text },
  /** An address showed a certificate, but it cannot be parsed. */
  unreadable_certificate: {},
  /** Message of a verdict that an older version stored as text. */
  stored_words: { message: text },
});

const failure = object({
  stage: code<ReachStage>(),
  reason: code<ReachFailure>(),
  detail: nullable(detail),
});
/** The reason why no certificate was read. */
export type Failure = Infer<typeof failure>;

type Role = 'leaf' | 'intermediate';

const expiring = object({
  fingerprint: text,
  notBefore: number,
  notAfter: number,
  role: code<Role>(),
  /**
   * Display name: subject CN, else the first dNSName, else the subject's O, else the first 16 characters of the fingerprint.
   */
  name: text,
  /** The renewal window of its CA (RFC 9773), ms UTC; null for intermediates, and if the CA gives none. */
  renewalWindow: nullable(object({ start: number, end: number })),
});
/** A certificate for which expiry alerts are sent. */
export type ExpiringCertificate = Infer<typeof expiring>;

const revoked = object({
  fingerprint: text,
  /** Issuer name and serial number, which identify a certificate even if it is encoded differently. */
  key: text,
  source: code<RevocationSource>(),
  /** When the answer that first reported the revocation was fetched or received, ms UTC. */
  at: number,
  revokedAt: nullable(number),
  /** Reason code (RFC 5280 §5.3.1), for example `keyCompromise`; null if none was given. */
  reason: nullable(text),
  role: code<Role>(),
  name: text,
  notBefore: number,
  notAfter: number,
  /** Whether it was the leaf, or an intermediate that clients need, at the last check that read a certificate. */
  served: boolean,
});
/** A certificate that a verified source reported as revoked. It stays revoked even if later answers differ. */
export type RevokedCertificate = Infer<typeof revoked>;

const servedPeriod = object({
  certificate: expiring,
  /** Time of the last check that saw the leaf, ms UTC. */
  at: number,
  /** Number of consecutive checks that saw the leaf. */
  checks: number,
});
/** A leaf that consecutive checks saw. */
export type ServedPeriod = Infer<typeof servedPeriod>;

const lastSeen = object({
  at: number,
  leafFingerprint: text,
  /**
   * The certificates with expiry alerts: the leaves of all addresses, leaves in rotation, leaves that the posture check found, and an
   * intermediate if one expires before the leaves of the addresses.
   */
  expiring: list(expiring),
  findings: list(object({ code: code<FindingCode>(), fingerprint: nullable(text) })),
  revoked: list(revoked),
  /** The leaves that the last few checks saw, the current one last. They distinguish rotating servers from a replacement. */
  turns: list(servedPeriod),
});
/** The results of the last check that read a certificate. Checks that read none leave them unchanged. */
export type LastSeen = Infer<typeof lastSeen>;

const reply = object({ code: nullable(text), text: nullable(text) });
/** The answer of a server that refused us, as in `Refusal`. */
export type Reply = Infer<typeof reply>;

const server: Shape<DomainServer> = object({ name: text, port: number, isDirect: boolean });

const address = object({
  address: text,
  family: number as Shape<4 | 6>,
  /** The server of the domain that the address belongs to, if an SRV record named it. */
  server: optional(server),
  /** Fingerprint of the leaf; null if none was read. */
  fingerprint: nullable(text),
  notAfter: nullable(number),
  tlsVersion: nullable(text),
  /** Usual name of the key exchange group; null if unknown. */
  group: nullable(text),
  /** Protocol agreed by ALPN, such as `h2` or `http/1.1`; null if there was no agreement, or if unknown. */
  alpn: nullable(text),
  /** Duration of the connection attempts, with STARTTLS and handshake. */
  durationMs: number,
  /** `reply`: what the server answered, if it refused us. Only the report shows it. */
  failure: nullable(
    object({ stage: code<ReachStage>(), reason: code<ReachFailure>(), reply: optional(reply) }),
  ),
});
export type AddressVerdict = Infer<typeof address>;

const pathEntry = object({
  fingerprint: text,
  name: text,
  role: code<Role | 'anchor'>(),
  notAfter: number,
  /** Origin of the certificate: the server, our cache, the address of its CA, or the trust store. */
  source: code<'sent' | 'cache' | 'fetched' | 'trust_store'>(),
});
/** One certificate of the path that was built, for display. */
export type PathEntry = Infer<typeof pathEntry>;

const revocation = object({
  /**
   * Revocation state. `not_applicable`: the certificate is too short-lived to be revoked, or says that no revocation
   * information exists (RFC 9608).
   */
  state: code<'unknown' | 'good' | 'revoked' | 'unavailable' | 'not_applicable'>(),
  source: nullable(code<RevocationSource>()),
  /** When the source was read, ms UTC. */
  at: nullable(number),
  reason: nullable(text),
  revokedAt: nullable(number),
  /** The answers of all sources about the certificate, including missing ones. */
  sources: list(
    object({
      source: code<RevocationSource>(),
      url: nullable(text),
      at: number,
      state: code<'good' | 'revoked' | 'none'>(),
      why: nullable(code<RevocationProblem>()),
      thisUpdate: nullable(number),
      nextUpdate: nullable(number),
    }),
  ),
});
export type RevocationVerdict = Infer<typeof revocation>;

const renewal = object({
  from: number,
  to: number,
  source: code<'ari' | 'lifetime'>(),
  /** URL of the CA's reason for a replacement; null if it gives none. */
  explanationUrl: nullable(text),
  /** Time from which the renewal is overdue; null if another address already shows the renewed certificate. */
  overdueAt: nullable(number),
});
/** The period in which the shown certificate should be renewed; instants in ms UTC. */
export type RenewalVerdict = Infer<typeof renewal>;

const usual: Shape<UsualLeaf> = object({ keyType: code<KeyType>(), clients });

/** `seenAt`: when the registry last answered with this end, ms UTC; absent in verdicts of older versions. */
const seenRegistration = both(registration, object({ seenAt: optional(number) }));
export type RegistrationVerdict = Infer<typeof seenRegistration>;

const posture = object({
  at: number,
  tlsVersions: list(
    object({
      version: code<PostureObservation['tlsVersions'][number]['version']>(),
      offered: nullable(boolean),
    }),
  ),
  postQuantum: object({
    state: code<PostureObservation['postQuantum']['state']>(),
    group: nullable(text),
  }),
  caa,
  registration: seenRegistration,
  /** Leaves that the usual handshake does not show. `clients`: the clients that get the leaf; absent if they are not known. */
  alternates: list(
    object({
      keyType: code<KeyType>(),
      address: text,
      certificate: expiring,
      clients: optional(clients),
    }),
  ),
  /** As in `PostureObservation`. */
  usual: optional(usual),
  /** Key types of which we could not learn whether the server has a certificate. */
  untestedKeyTypes: list(code<KeyType>()),
  /**
   * The parts with results of earlier checks, and the time of these results, ms UTC; null if a part was never tested completely. Absent if every
   * part was tested at `at`.
   */
  earlier: optional(list(object({ part: code<PosturePart>(), at: nullable(number) }))),
  /** When the limit of failed handshakes allows more, as in `PostureObservation`. */
  resumesAt: optional(number),
  /** Findings about the alternates. `Verdict.findings` includes them until the next posture check. */
  findings: list(finding),
});
export type PostureVerdict = Infer<typeof posture>;

const counts = nullable(code<TimestampStatus>());
const transparency = object({
  /** Whether browsers demand SCTs, because the path ends in a root of a public root program; null without a valid path. */
  isRequired: nullable(boolean),
  /** The first SCTs (RFC 6962 §3.3), those in the certificate before those in a stapled OCSP response. */
  timestamps: list(
    object({
      /** SHA-256 of the log's key in base64. */
      logId: text,
      at: number,
      delivery: code<Exclude<Delivery, 'tls'>>(),
      /** Untrusted text; null if no list has the log. `operator`: who operated it at that time. */
      log: nullable(object({ name: text, operator: text })),
      /** Whether each browser counts it; null if we have no current list of its logs, no valid path or no public root. */
      chromium: counts,
      firefox: counts,
      apple: counts,
    }),
  ),
  /**
   * Number of further SCTs that could not be read, or that come after the first 20 in the certificate or in the staple. A malformed
   * list counts as one.
   */
  unreadable: number,
  /** Whether the SCTs satisfy the policy of each browser of which we have a current list of logs. */
  policies: list(
    object({
      client: code<TransparencyClient>(),
      /** Time of the list of logs, ms UTC; absent in verdicts of older versions. */
      asOf: optional(number),
      outcome: code<Compliance['outcome']>(),
      why: nullable(code<PolicyGap>()),
      counted: number,
      needed: number,
    }),
  ),
  /**
   * Browsers of which we have no current list of logs, and why. Absent if there are none, and in verdicts of older versions.
   */
  missing: optional(list(object({ client: code<TransparencyClient>(), why: code<ListGap>() }))),
});
/** The SCTs of the shown leaf and what browsers make of them. SCTs in the TLS handshake are not read. */
export type TransparencyVerdict = Infer<typeof transparency>;
/** Why we have no current list of logs. `not_fetched`: not fetched yet. `failed`: it could not be fetched. */
export type ListGap = 'off' | 'not_fetched' | 'failed' | 'too_old';
/** The clients that demand SCTs. */
export type TransparencyClient = Extract<Client, 'chromium' | 'firefox' | 'apple'>;

/** Returns whether a value has the shape of a verdict that this version writes. */
export const isVerdict = object({
  judgedAt: number,
  observedAt: number,
  /** Whether at least one address showed a certificate that could be read. */
  reached: boolean,
  /** The most telling failure; null if the host was reached. */
  failure: nullable(failure),
  addresses: list(address),
  /** Fingerprint of the leaf that expires first among the answering addresses; null if none was read. */
  leafFingerprint: nullable(text),
  /**
   * The certificate that limits the validity over all addresses: the one below the anchors that expires first, or an
   * expired intermediate that makes clients refuse a chain. Null if none was read.
   */
  limiting: nullable(expiring),
  /** Every finding, worst first. */
  findings: list(finding),
  /** Whether the host was reached and, as far as we could verify, clients accept what every answering address shows. */
  trusted: boolean,
  /** The certificates from the shown leaf to the anchor; empty if no path is valid. */
  path: list(pathEntry),
  /**
   * Fingerprints of the certificates that the server should send, the leaf first and without the root; null if no path is
   * known.
   */
  chainToServe: nullable(list(text)),
  /** Whether the path ends at a private authority. */
  hasOwnRoot: boolean,
  /** Revocation of the shown leaf. */
  revocation,
  /** Renewal of the shown leaf; null if no check has read a certificate. */
  renewal: nullable(renewal),
  /** Result of the last posture check, which may be a day old; null before the first one. */
  posture: nullable(posture),
  /** Absent if no certificate was read, for certificates of private CAs without SCTs, and in verdicts of older versions. */
  transparency: optional(transparency),
  /** Hash of the trust store, which distinguishes a change of the trust store from a change of the site. */
  trustStoreHash: text,
  lastSeen: nullable(lastSeen),
});
/** The conclusions of `judge` from an observation at a given time. Plain JSON, with codes and values instead of words. */
export type Verdict = Infer<typeof isVerdict>;
