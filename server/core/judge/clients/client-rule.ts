import type { Protocol } from '../../../../contract/protocols.ts';
import { type Client, CLIENT_NAMES, CLIENTS } from '../../../../contract/check-words.ts';
import type { Certificate } from '../../../pki/certificate.ts';
import { certificateName } from '../../facts.ts';
import type { Found, Severity } from '../../findings/definition.ts';
import type { HelloPart, HelloReaction } from '../../observation.ts';
import { listed } from '../../one-line.ts';

/** Reason why some clients refuse a certificate that others accept. The codes are stored, so they never change. */
export type ClientRuleCode =
  | 'no_digital_signature'
  | 'no_key_encipherment'
  | 'rsa_key_exchange'
  | 'p521_key'
  | 'ed25519_key'
  | 'ed448_key'
  | 'ml_dsa_key'
  | 'slh_dsa_key'
  | 'rsa_pss_key'
  | 'pss_key_parameters'
  | 'pss_salt'
  | 'pss_mask'
  | 'pss_encoding'
  | 'long_exponent'
  | 'no_key_null'
  | 'compressed_key'
  | 'weak_root_key'
  | 'rare_group'
  | 'rare_signature'
  | 'first_issuer'
  | 'several_roots'
  | 'root_order'
  | 'partial_chain'
  | 'anchor_policy'
  | 'long_path'
  | 'long_unordered_path'
  | 'large_chain'
  | 'large_certificate'
  | 'many_constraints'
  | 'forged_root'
  | 'excluded_directory_name'
  | 'email_constraint'
  | 'written_minimum'
  | 'critical_policy_constraints'
  | 'long_policy_count'
  | 'other_tls_feature'
  | 'rare_alternative_name'
  | 'hyphen_at_end'
  | 'public_suffix_wildcard'
  | 'http2_cipher'
  | 'malformed_key_identifier'
  | 'malformed_crl_points'
  | 'malformed_issuer_addresses'
  | 'malformed_issuer_alt_name'
  | 'malformed_netscape_type'
  | 'malformed_tls_feature'
  | 'malformed_timestamps'
  | 'malformed_companion'
  | 'any_purpose_only'
  | 'other_key_identifier'
  | 'other_issuer_serial'
  | 'critical_key_identifier'
  | 'critical_crl_points'
  | 'ocsp_signing_purpose'
  | 'authority_as_leaf'
  | 'explicit_default'
  | 'unknown_policy_qualifier'
  | 'netscape_type'
  | 'proxy_certificate'
  | 'long_path_length'
  | 'negative_serial_number'
  | 'odd_printable_string'
  | 'ampersand_in_name'
  | 'odd_ia5_string'
  | 'rare_name_type'
  | 'name_spelled_differently'
  | 'name_encoded_differently'
  | 'empty_subject'
  | 'empty_issuer_name'
  | 'empty_dns_name'
  | 'trailing_dot'
  | 'underscore'
  | 'malformed_other_name'
  | 'authority_tls_feature'
  | 'critical_policy_mappings'
  | 'self_issued_path_length'
  | 'unsupported_constraint'
  | 'empty_constraint'
  | 'early_date'
  | 'numeric_string'
  | 'odd_numeric_string'
  | 'odd_uri'
  | 'no_timestamps'
  | 'private_lifetime'
  | 'private_purpose'
  /** The server does not accept a part of a client's ClientHello. */
  | `hello_${Exclude<HelloPart, `grease_${string}`>}`
  | 'hello_grease'
  | 'hello_extensions'
  | 'warning_alert'
  | 'empty_record';

/** A finding about clients that refuse. */
export type Refusal = Found<
  'refused_by_clients',
  {
    kind: 'refused_by_clients';
    rule: ClientRuleCode;
    authority: string | null;
    evidence?: HelloEvidence;
  }
>;
/** How a server reacts to parts of a ClientHello that it does not accept. */
export interface HelloEvidence {
  reaction: HelloReaction;
  parts: HelloPart[];
}

/** One reason why some clients refuse a certificate that RFC 5280 or other clients accept. */
export interface ClientRule<Context> {
  code: ClientRuleCode;
  clients: readonly Client[];
  /** How this is known: `measured` by npm run test:clients, or the code or policy of the clients. */
  source: string;
  applies(context: Context): boolean;
  /** Whether clients apply the rule to the anchor. Default: all clients except Java apply it, unless it is about names. */
  ofAnchor?: 'never' | 'only';
  /** Whether Go cannot read such a certificate, and refuses the connection even if its path does not need it. */
  stopsParsing?: true;
}

/**
 * For clients whose older versions refuse: the first version that accepts. The older versions are still in use, but a finding that only
 * they cause is not critical.
 */
export const ACCEPTING_SINCE: Readonly<Partial<Record<string, Partial<Record<Client, string>>>>> = {
  ml_dsa_key: { openssl: '3.5', go: '1.27' },
  slh_dsa_key: { openssl: '3.5' },
  large_chain: { go: '1.23' },
  many_constraints: { go: '1.26' },
} satisfies Partial<Record<ClientRuleCode, Partial<Record<Client, string>>>>;

/** For clients whose older versions accept: the first version that refuses. The older versions are still in use. */
export const REFUSING_SINCE: typeof ACCEPTING_SINCE = {
  hello_size: { openssl: '3.5', go: '1.24', java: '27' },
  hello_ml_kem: { openssl: '3.5', go: '1.24', java: '27' },
  hello_ml_dsa: { openssl: '3.5', go: '1.27' },
} satisfies Partial<Record<ClientRuleCode, Partial<Record<Client, string>>>>;

/** Severity of rules that only some programs with this client apply, or that depend on their trust stores. */
const SEVERITIES: Readonly<Partial<Record<ClientRuleCode, Severity>>> = {
  root_order: 'warning',
  // A user who adds an intermediate here may have its root on the machines that connect.
  partial_chain: 'note',
};

/** Returns whether a rule is about a part of a client’s ClientHello that the server does not accept. */
export function isHelloRule(rule: string): boolean {
  return rule.startsWith('hello_');
}

/** A certificate of a valid path. */
export interface Link {
  certificate: Certificate;
  /** The next certificate of the path. The issuer of the anchor is the anchor. */
  issuer: Certificate;
  /** Whether the next certificate is the anchor. */
  isBelowAnchor: boolean;
  isLeaf: boolean;
  leaf: Certificate;
  /** Number of CA certificates between this one and the leaf. */
  authoritiesBelow: number;
}

/** Returns a finding for each reason that applies, with all clients of its rules. `role`: that of the certificate in its chain. */
export function brokenRules<Context extends { certificate: Certificate }>(
  rules: readonly ClientRule<Context>[],
  context: Context,
  role: 'leaf' | 'intermediate',
  protocol: Protocol,
): Refusal[] {
  const { certificate } = context;
  const broken = rules.filter((rule) => rule.clients.some(connectsTo(protocol)) && rule.applies(context));
  if (broken.length === 0) return [];
  const authority = role === 'leaf' ? null : certificateName(certificate);
  return [...Map.groupBy(broken, ({ code }) => code)].map(([code, reasons]): Refusal => {
    const named = new Set(reasons.flatMap(({ clients }) => clients));
    const clients = CLIENTS.filter((client) => named.has(client) && connectsTo(protocol)(client));
    return {
      code: 'refused_by_clients',
      severity:
        SEVERITIES[code] ??
        severityOf(
          clients.filter((client) => ACCEPTING_SINCE[code]?.[client] === undefined),
          protocol,
        ),
      fingerprint: certificate.fingerprint,
      facts: { kind: 'refused_by_clients', rule: code, authority },
      clients,
    };
  });
}

/** Returns whether a client speaks the protocol. Chrome and Firefox speak only https; `apple` stands for all Apple apps. */
export function connectsTo(protocol: Protocol): (client: Client) => boolean {
  return (client) => protocol === 'https' || (client !== 'chromium' && client !== 'firefox');
}

const BROWSERS: ReadonlySet<Client> = new Set<Client>(['chromium', 'firefox', 'apple']);

/** Returns `critical` if OpenSSL refuses, or a browser over https; else `warning`. */
export function severityOf(clients: readonly Client[], protocol: Protocol): Severity {
  const isCritical = clients.some(
    (client) => client === 'openssl' || (protocol === 'https' && BROWSERS.has(client)),
  );
  return isCritical ? 'critical' : 'warning';
}

/** Returns the names of clients: "Go and GnuTLS". */
export function clientNames(clients: readonly Client[]): string {
  // A newer version may have stored a client that this one does not know.
  return listed(clients.map((client) => CLIENT_NAMES[client] ?? client));
}
