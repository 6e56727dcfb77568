import type {
  AddressVerdict,
  DomainServer,
  ExpiringCertificate,
  Failure,
  Finding,
  FindingFacts,
  FindingWords,
  LastSeen,
  PathEntry,
  PathFault,
  PostureVerdict,
  RenewalVerdict,
  RenewalWindow,
  Reply,
  RevocationVerdict,
  RevokedCertificate,
  ServedPeriod,
  UnverifiedLeaf,
  Verdict,
} from '../../core/index.ts';

/**
 * Returns whether a value has a shape. Verdicts do not use `storedJson`, because zod is slower and every check and listed domain
 * parses a verdict. A predicate never changes the value, so its JSON can be compared with the next check's.
 */
type Predicate = (value: unknown) => boolean;
/** A predicate for every property of T. The compiler reports a missing predicate. */
type Shape<T> = { [Key in keyof T]-?: Predicate };

const text: Predicate = (value) => typeof value === 'string';
export const number: Predicate = (value) => typeof value === 'number';
const boolean: Predicate = (value) => typeof value === 'boolean';
/** Accepts any string as a code, because newer versions know codes that this version does not. */
const code = text;

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const nullable =
  (predicate: Predicate): Predicate =>
  (value) =>
    value === null || predicate(value);

const optional =
  (predicate: Predicate): Predicate =>
  (value) =>
    value === undefined || predicate(value);

export const list =
  (predicate: Predicate): Predicate =>
  (value) =>
    Array.isArray(value) && value.every(predicate);

/** Returns a predicate for objects with these properties. It accepts additional properties. */
export function shape<T extends object>(properties: Shape<T>): Predicate {
  const predicates = Object.entries<Predicate>(properties);
  return (value) => isRecord(value) && predicates.every(([key, predicate]) => predicate(value[key]));
}

/** Returns a predicate for a union. It selects the member by the value of the property `tag` and tests its other properties. */
function union<T extends object, Tag extends keyof T & string>(
  tag: Tag,
  members: { [Value in T[Tag] & string]: Shape<Omit<Extract<T, Record<Tag, Value>>, Tag>> },
): Predicate {
  const predicates = new Map(
    Object.entries<Shape<object>>(members).map(([value, properties]) => [value, shape(properties)]),
  );
  return (value) => isRecord(value) && predicates.get(String(value[tag]))?.(value) === true;
}

const window = shape<{ start: number; end: number }>({ start: number, end: number });
const explainedWindow = shape<RenewalWindow>({ start: number, end: number, explanationUrl: nullable(text) });
const words = shape<FindingWords>({
  message: text,
  fix: nullable(text),
  command: nullable(text),
  evidence: list(shape({ label: text, value: text })),
});

const facts = union<FindingFacts, 'kind'>('kind', {
  expired: { notAfter: number, evidence: shape({ notBefore: number }) },
  not_yet_valid: { notBefore: number, minutes: optional(number), evidence: shape({ notAfter: number }) },
  other_names: { names: list(text), total: number, expected: optional(text) },
  long_lifetime: { notBefore: number, days: number, mostDays: number },
  unreadable_leaf: {
    evidence: optional(
      nullable(
        shape<UnverifiedLeaf>({
          subject: nullable(text),
          issuer: nullable(text),
          notBefore: nullable(number),
          notAfter: nullable(number),
          names: list(text),
        }),
      ),
    ),
  },
  refused_by_clients: {
    rule: code,
    authority: nullable(text),
    evidence: optional(shape({ reaction: code, parts: list(code) })),
  },
  revoked: {
    role: code,
    name: text,
    source: code,
    at: number,
    revokedAt: nullable(number),
    reason: nullable(text),
    served: boolean,
    wasSaidBefore: boolean,
    dissent: nullable(code),
    evidence: shape({ serialNumber: text }),
  },
  staple_missing: {},
  staple_invalid: { why: code },
  replacement_wanted: { window: explainedWindow, hasBegun: boolean },
  renewal_overdue: {
    dueAt: number,
    notAfter: number,
    evidence: shape({ serialNumber: text, window: nullable(explainedWindow) }),
  },
  path_fault: { fault: code, evidence: shape({ certificate: text, issuer: text }) },
  too_much_work: {},
  no_path: {},
  distrusted_root: { root: text, trustedUntil: number },
  expired_authority: { name: text, notAfter: number },
  outdated_intermediate: {
    name: text,
    notAfter: number,
    isPrivate: optional(boolean),
    isUnfetchable: optional(boolean),
    evidence: shape({ missing: list(text), sent: list(text) }),
  },
  missing_intermediates: {
    missing: list(text),
    isPrivate: optional(boolean),
    isUnfetchable: optional(boolean),
    evidence: shape({ sent: list(text) }),
  },
  path_pending: {
    issuer: text,
    isIssuerSent: boolean,
    evidence: shape({ certificate: text }),
  },
  unreadable_companion: {},
  unused_expired: { name: text, notAfter: number },
  extra_certificates: {
    names: list(text),
    evidence: shape({ why: list(code) }),
  },
  wrong_order: { evidence: shape({ sent: list(text) }) },
  chain_cut: { read: number },
  addresses_differ: {
    read: number,
    certificates: number,
    others: code,
    notAfter: number,
    evidence: list(shape({ name: text, serialNumber: text, notAfter: number, addresses: list(text) })),
  },
  shown_in_turn: {
    certificates: list(shape({ fingerprint: text, notAfter: number })),
  },
  other_without_alpn: {
    name: text,
    names: list(text),
    total: number,
    notAfter: number,
    evidence: shape({ serialNumber: text }),
  },
  legacy_tls: { tlsVersion: text, evidence: shape({ cipher: text }) },
  http2_fault: { fault: code, isAnswered: optional(boolean) },
  start_tls_code: { code: number },
  addresses_unreachable: {
    reason: code,
    total: number,
    evidence: list(shape({ address: text, stage: code, durationMs: number })),
  },
  addresses_left_out: { count: number },
  stored_words: { words },
});

type FaultsOf<Fault> = Omit<Extract<PathFault, { fault: Fault }>, 'kind' | 'fault' | 'evidence'>;

const unknownAlgorithm = shape<FaultsOf<'unknown_key' | 'unknown_signature'>>({
  authority: nullable(text),
  algorithm: text,
  identifier: text,
});

/** Predicates for path faults by code. A fault without an entry here has only the property `authority`. */
const FAULTS: Readonly<Record<string, Predicate>> = {
  no_issuer: shape<FaultsOf<'no_issuer'>>({ issuer: text, canBeFetched: boolean }),
  untrusted_root: shape<FaultsOf<'untrusted_root'>>({ root: text }),
  expired: shape<FaultsOf<'expired'>>({ authority: text, notAfter: number }),
  self_signed: isRecord,
  weak_key: shape<FaultsOf<'weak_key'>>({
    authority: nullable(text),
    key: shape({ type: code, bits: number, curve: nullable(text) }),
  }),
  unknown_key: unknownAlgorithm,
  unknown_signature: unknownAlgorithm,
  weak_signature: shape<FaultsOf<'weak_signature'>>({ authority: nullable(text), algorithm: text }),
  not_yet_valid: shape<FaultsOf<'not_yet_valid'>>({
    authority: nullable(text),
    notBefore: number,
    minutes: optional(number),
  }),
};
const otherFault = shape<{ authority: string | null }>({ authority: nullable(text) });

/** Returns whether a value has the shape of facts. False also for a kind that only newer versions know. */
export function isFacts(value: unknown): value is FindingFacts {
  if (!facts(value)) return false;
  const known = value as FindingFacts;
  return known.kind !== 'path_fault' || (FAULTS[known.fault] ?? otherFault)(known);
}

const finding = shape<Finding>({
  code,
  severity: code,
  facts: isFacts,
  addresses: list(text),
  fingerprint: nullable(text),
  keyType: nullable(code),
  attachment: nullable(code),
  shownTo: optional(list(code)),
  clients: optional(list(code)),
});

const failure = shape<Failure>({
  stage: code,
  reason: code,
  detail: nullable(
    union<NonNullable<Failure['detail']>, 'kind'>('kind', {
      tls_alert: { alert: number },
      refusal: { code: nullable(code), refusedSince: nullable(number) },
      other_scheme: { scheme: text },
      unreadable_certificate: {},
      stored_words: { message: text },
    }),
  ),
});

const expiring = shape<ExpiringCertificate>({
  fingerprint: text,
  notBefore: number,
  notAfter: number,
  role: code,
  name: text,
  renewalWindow: nullable(window),
});

const revoked = shape<RevokedCertificate>({
  fingerprint: text,
  key: text,
  source: code,
  at: number,
  revokedAt: nullable(number),
  reason: nullable(text),
  role: code,
  name: text,
  notBefore: number,
  notAfter: number,
  served: boolean,
});

const lastSeen = shape<LastSeen>({
  at: number,
  leafFingerprint: text,
  expiring: list(expiring),
  findings: list(shape({ code, fingerprint: nullable(text) })),
  revoked: list(revoked),
  turns: list(shape<ServedPeriod>({ certificate: expiring, at: number, checks: number })),
});

const address = shape<AddressVerdict>({
  address: text,
  family: number,
  server: optional(shape<DomainServer>({ name: text, port: number, isDirect: boolean })),
  fingerprint: nullable(text),
  notAfter: nullable(number),
  tlsVersion: nullable(text),
  group: nullable(text),
  alpn: nullable(text),
  durationMs: number,
  failure: nullable(
    shape<NonNullable<AddressVerdict['failure']>>({
      stage: code,
      reason: code,
      reply: optional(shape<Reply>({ code: nullable(code), text: nullable(text) })),
    }),
  ),
});

const pathEntry = shape<PathEntry>({
  fingerprint: text,
  name: text,
  role: code,
  notAfter: number,
  source: code,
});

const revocation = shape<RevocationVerdict>({
  state: code,
  source: nullable(code),
  at: nullable(number),
  reason: nullable(text),
  revokedAt: nullable(number),
  sources: list(
    shape({
      source: code,
      url: nullable(text),
      at: number,
      state: code,
      why: nullable(code),
      thisUpdate: nullable(number),
      nextUpdate: nullable(number),
    }),
  ),
});

const renewal = shape<RenewalVerdict>({
  from: number,
  to: number,
  source: code,
  explanationUrl: nullable(text),
  overdueAt: nullable(number),
});

const posture = shape<PostureVerdict>({
  at: number,
  tlsVersions: list(shape({ version: code, offered: nullable(boolean) })),
  postQuantum: shape({ state: code, group: nullable(text) }),
  caa: union<PostureVerdict['caa'], 'outcome'>('outcome', {
    records: {
      domain: text,
      records: list(shape({ critical: boolean, tag: text, value: text })),
    },
    none: {},
    unreadable: { domain: text },
    not_applicable: {},
    unavailable: {},
  }),
  registration: union<PostureVerdict['registration'], 'outcome'>('outcome', {
    expires: { domain: text, expiresAt: number, registrar: nullable(text), seenAt: optional(number) },
    no_date: { domain: text, seenAt: optional(number) },
    not_found: { domain: text, seenAt: optional(number) },
    unavailable: { domain: text, seenAt: optional(number) },
    not_applicable: { seenAt: optional(number) },
  }),
  alternates: list(
    shape<PostureVerdict['alternates'][number]>({
      keyType: code,
      address: text,
      certificate: expiring,
      clients: optional(list(code)),
    }),
  ),
  usual: optional(shape<NonNullable<PostureVerdict['usual']>>({ keyType: code, clients: list(code) })),
  untestedKeyTypes: list(code),
  earlier: optional(list(shape({ part: code, at: nullable(number) }))),
  resumesAt: optional(number),
  findings: list(finding),
});

const verdict = shape<Verdict>({
  judgedAt: number,
  observedAt: number,
  reached: boolean,
  failure: nullable(failure),
  addresses: list(address),
  leafFingerprint: nullable(text),
  limiting: nullable(expiring),
  findings: list(finding),
  trusted: boolean,
  path: list(pathEntry),
  chainToServe: nullable(list(text)),
  hasOwnRoot: boolean,
  revocation,
  renewal: nullable(renewal),
  posture: nullable(posture),
  trustStoreHash: text,
  lastSeen: nullable(lastSeen),
});

/** Returns whether a value has the shape of a verdict that this version writes. */
export function isVerdict(value: unknown): value is Verdict {
  return verdict(value);
}
