import { type Client, CLIENTS } from '../../../../contract/check-words.ts';
import type { ChainFinding, ClientRuleCode, Finding } from '../../finding.ts';
import type { HelloObservation, HelloPart, PostureObservation } from '../../observation.ts';
import { isHelloRule, severityOf } from './client-rule.ts';

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
}: HelloObservation): ChainFinding[] {
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

type Refusal = Extract<ChainFinding['facts'], { kind: 'refused_by_clients' }>;

function finding(
  rule: ClientRuleCode,
  clients: readonly Client[],
  evidence?: Refusal['evidence'],
): ChainFinding {
  const facts: Refusal = { kind: 'refused_by_clients', rule, authority: null, ...(evidence && { evidence }) };
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
function ruleOf(part: HelloPart, knowsExtensions: boolean): Extract<ClientRuleCode, `hello_${string}`> {
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
export function isHelloFinding({ facts }: Finding): boolean {
  return (
    facts.kind === 'refused_by_clients' &&
    (isHelloRule(facts.rule) || facts.rule === 'warning_alert' || facts.rule === 'empty_record')
  );
}

/** Returns the support for post-quantum keys: `intolerant` if the server refuses the ClientHello of every client that sends ML-KEM. */
export function toleratedKeys({
  postQuantum,
  hellos,
}: PostureObservation): PostureObservation['postQuantum'] {
  const isIntolerant = hellos?.intolerances.some(
    ({ part, clients }) =>
      (part === 'size' || part === 'ml_kem') && WITH_ML_KEM.every((one) => clients.includes(one)),
  );
  return isIntolerant === true ? { ...postQuantum, state: 'intolerant' } : postQuantum;
}
