import { type Client, CLIENTS } from '../../../../contract/check-words.ts';
import type { Words } from '../../findings/definition.ts';
import type { HelloObservation, HelloPart, HelloReaction, PostureObservation } from '../../observation.ts';
import { listed } from '../../one-line.ts';
import { connectWith } from '../../report/reproduce.ts';
import { type HelloEvidence, isHelloRule, type Reason, type Refusal, severityOf } from './client-rule.ts';

/**
 * Clients that send ML-KEM without being told to: OpenSSL since 3.5 and Go since 1.24 (their release notes), Java since 27 (JEP 527), Apple
 * since 26 (support.apple.com/122756). GnuTLS 3.8.13 does not (`supported_groups_normal` in priority.c), and Windows asks for it in a policy.
 */
const WITH_ML_KEM: readonly Client[] = ['chromium', 'firefox', 'apple', 'openssl', 'go', 'java'];
/** Clients that send reserved values (GREASE, RFC 8701). */
const RESERVING: readonly Client[] = ['chromium', 'apple'];

/** The clients that send each part of a ClientHello. Source: captures; for Safari the library bogdanfinn/tls-client. */
export const CLIENTS_OF_PART: Record<HelloPart, readonly Client[]> = {
  // Clients whose ClientHello needs more than one packet. A probe finds out whose ClientHello is too large for the server.
  size: WITH_ML_KEM,
  ml_kem: WITH_ML_KEM,
  // Go since 1.27.
  ml_dsa: ['chromium', 'openssl', 'go'],
  grease_ciphers: RESERVING,
  grease_extensions: RESERVING,
  grease_groups: RESERVING,
  grease_versions: RESERVING,
  grease_signatures: ['chromium'],
  ech: ['chromium', 'firefox'],
  compression: ['chromium', 'firefox', 'apple'],
  alps: ['chromium'],
  trust_anchors: ['chromium'],
  timestamps: ['chromium', 'firefox', 'apple', 'go'],
  delegated_credentials: ['firefox'],
  record_size_limit: ['firefox', 'gnutls'],
  whole: [],
};

/** Numbers of the warning alerts that Java ignores (measured; Alert.java sets no `handshakeOnly` for them). */
const IGNORED_BY_JAVA = [10, 20, 21, 22, 30, 80, 90];

/** Returns the findings about parts of a ClientHello that the server does not accept, and about answers that only some clients accept. */
export function helloFindings({
  intolerances,
  warningAlerts,
  hasEmptyRecord,
  hasEmptyChange,
}: HelloObservation): HelloRefusal[] {
  const knowsExtensions =
    intolerances.filter(({ part }) => EXTENSIONS.includes(part)).length < MANY_EXTENSIONS;
  const refusedByJava = warningAlerts.some((alert) => !IGNORED_BY_JAVA.includes(alert));
  // Measured; `readRecordOrCCS` of Go 1.26 (RFC 8446 §5).
  const ofEmpty: readonly Client[] = hasEmptyChange
    ? ['chromium', 'firefox', 'go', 'java', 'gnutls']
    : ['go', 'gnutls'];
  return [
    ...[...Map.groupBy(intolerances, ({ part }) => ruleOf(part, knowsExtensions))].map(([rule, alike]) => {
      const reaction = alike[0]?.reaction ?? 'silent';
      const named = new Set(alike.flatMap(({ clients }) => clients));
      // Measured: after a lost connection Firefox tries again without compression.
      if (rule === 'hello_compression' && (reaction === 'reset' || reaction === 'closed'))
        named.delete('firefox');
      const clients = CLIENTS.filter((client) => named.has(client));
      return finding(rule, clients, { reaction, parts: alike.map(({ part }) => part) });
    }),
    ...(refusedByJava ? [finding('warning_alert', ['java'])] : []),
    ...(hasEmptyRecord || hasEmptyChange ? [finding('empty_record', ofEmpty)] : []),
  ];
}

function finding(rule: HelloRuleCode, clients: readonly Client[], evidence?: HelloEvidence): HelloRefusal {
  const facts: HelloRefusal['facts'] = {
    kind: 'refused_by_clients',
    rule,
    authority: null,
    ...(evidence && { evidence }),
  };
  const severity = severityOf(clients, 'https');
  return { code: 'refused_by_clients', severity, fingerprint: null, facts, clients };
}

/** Parts that are extensions which most servers do not know. */
const EXTENSIONS: readonly HelloPart[] = [
  'grease_extensions',
  'ech',
  'compression',
  'alps',
  'trust_anchors',
  'timestamps',
  'delegated_credentials',
  'record_size_limit',
];
/** If a server refuses this many, we report that it refuses unknown extensions, instead of each extension. */
const MANY_EXTENSIONS = 3;

/** Returns the rule about a part. Several parts may have the same rule. */
function ruleOf(part: HelloPart, knowsExtensions: boolean): Extract<HelloRuleCode, `hello_${string}`> {
  if (!knowsExtensions && EXTENSIONS.includes(part)) return 'hello_extensions';
  switch (part) {
    case 'grease_ciphers':
    case 'grease_extensions':
    case 'grease_groups':
    case 'grease_versions':
    case 'grease_signatures':
      return 'hello_grease';
    default:
      return `hello_${part}`;
  }
}

/** Returns whether a finding is one of `helloFindings`. */
export function isHelloFinding({ facts }: { facts: { kind: string } | Refusal<string>['facts'] }): boolean {
  return 'rule' in facts && (isHelloRule(facts.rule) || Object.hasOwn(HELLO_REASONS, facts.rule));
}

/** Returns the support for post-quantum keys: `intolerant` if the server refuses the ClientHello of every client that sends ML-KEM. */
export function postQuantumSupport({
  postQuantum,
  hellos,
}: PostureObservation): PostureObservation['postQuantum'] {
  const isIntolerant = hellos?.intolerances.some(
    ({ part, clients }) =>
      (part === 'size' || part === 'ml_kem') && WITH_ML_KEM.every((one) => clients.includes(one)),
  );
  return isIntolerant === true ? { ...postQuantum, state: 'intolerant' } : postQuantum;
}

/** Returns the evidence of a finding about a ClientHello that the server does not accept. */
export function helloEvidence({ reaction, parts }: HelloEvidence): Words['evidence'] {
  const known = parts.flatMap((part) => PARTS[part] ?? []);
  return [
    { label: 'Reaction', value: REACTIONS[reaction] },
    ...(known.length === 0 ? [] : [{ label: 'Not accepted', value: listed(known) }]),
  ];
}

/** Names of the parts that can share a finding. */
const PARTS: Readonly<Partial<Record<string, string>>> = {
  grease_ciphers: 'reserved cipher suites',
  grease_extensions: 'reserved extensions',
  grease_groups: 'reserved groups',
  grease_versions: 'reserved TLS versions',
  grease_signatures: 'reserved signature algorithms',
  ech: 'encrypted_client_hello',
  compression: 'compress_certificate',
  alps: 'application_settings',
  trust_anchors: 'trust_anchors',
  timestamps: 'signed_certificate_timestamp',
  delegated_credentials: 'delegated_credential',
  record_size_limit: 'record_size_limit',
} satisfies Partial<Record<HelloPart, string>>;

const REACTIONS: Record<HelloReaction, string> = {
  silent: 'no answer in time',
  reset: 'the server resets the connection',
  closed: 'the server closes the connection',
  alert: 'the server answers with an alert',
  not_tls: 'the answer is not TLS',
};

const OLD_TLS =
  'Update the server, or what stands in front of it, such as a load balancer, firewall or proxy. It must accept a ClientHello of more than one packet, and ignore what it does not know (RFC 8446 §4.1.2).';

/** Returns the reason and the fix of a rule about a ClientHello. `having`: the end of “does not accept a ClientHello …”. */
const unaccepted = (having: string): Reason => ({
  why: `the server does not accept a ClientHello ${having}`,
  fix: OLD_TLS,
});

/** Needs OpenSSL 3.5. */
const SHOWING_ML_KEM = connectWith('-groups X25519MLKEM768:X25519');

/** The reasons of the rules of this file. */
export const HELLO_REASONS = {
  hello_size: {
    ...unaccepted('as large as theirs'),
    command: SHOWING_ML_KEM,
    refusingSince: { openssl: '3.5', go: '1.24', java: '27' },
  },
  hello_ml_kem: {
    ...unaccepted('with the post-quantum key exchange X25519MLKEM768'),
    command: SHOWING_ML_KEM,
    refusingSince: { openssl: '3.5', go: '1.24', java: '27' },
  },
  hello_ml_dsa: { ...unaccepted('with ML-DSA signatures'), refusingSince: { openssl: '3.5', go: '1.27' } },
  hello_grease: unaccepted('with reserved values (GREASE, RFC 8701)'),
  hello_extensions: unaccepted('with extensions that it does not know'),
  hello_ech: unaccepted('with the extension encrypted_client_hello (ECH)'),
  hello_compression: unaccepted('with the extension compress_certificate'),
  hello_alps: unaccepted('with the extension application_settings (ALPS)'),
  hello_trust_anchors: unaccepted('with the extension trust_anchors'),
  hello_timestamps: unaccepted('with the extension signed_certificate_timestamp'),
  hello_delegated_credentials: unaccepted('with the extension delegated_credential'),
  hello_record_size_limit: unaccepted('with the extension record_size_limit'),
  hello_whole: unaccepted('like theirs, though it accepts one with each of its parts alone'),
  warning_alert: {
    why: 'the server answers a ClientHello with an alert that is only a warning',
    fix: 'Configure the server so that it knows this host’s name (SNI) and sends no alert “unrecognized_name”.',
    isOfConnection: true,
    command: connectWith('-msg'),
  },
  empty_record: {
    why: 'the server sends an empty TLS record in the handshake',
    fix: 'Update the server, or what stands in front of it: empty records are not allowed in a handshake (RFC 8446 §5).',
    isOfConnection: true,
    command: connectWith('-msg'),
  },
} satisfies Readonly<Record<string, Reason>>;

type HelloRuleCode = keyof typeof HELLO_REASONS;
type HelloRefusal = Refusal<HelloRuleCode>;
