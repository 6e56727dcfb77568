import { CLIENT_NAMES } from '../../../contract/check-words.ts';
import {
  ACCEPTING_SINCE,
  type ClientRuleCode,
  isHelloRule,
  REFUSING_SINCE,
} from '../judge/clients/client-rule.ts';
import { HELLO_REASONS, helloEvidence, type Reason } from '../judge/clients/hello-rules.ts';
import type { HelloPart, HelloReaction } from '../observation.ts';
import { listed } from '../one-line.ts';
import { type Command, connectWith, inspect } from '../report/reproduce.ts';
import { code, type Infer, list, nullable, object, optional, text } from '../shape.ts';
import { type Definition, kind, type Shown, type Words } from './definition.ts';
import { REISSUE } from './path.ts';

const refusal = object({
  rule: code<ClientRuleCode>(),
  /** Name of the CA certificate at fault; null if the leaf or the server is at fault. */
  authority: nullable(text),
  /** Only for rules about a ClientHello: the parts that the server does not accept, and how it reacts to them. */
  evidence: optional(object({ reaction: code<HelloReaction>(), parts: list(code<HelloPart>()) })),
});
type Refusal = Infer<typeof refusal>;

/** Options with which `openssl s_client` shows what a rule is about. ML-KEM needs OpenSSL 3.5. */
const SHOWING_RULE: Readonly<Record<string, Command>> = {
  hello_size: connectWith('-groups X25519MLKEM768:X25519'),
  hello_ml_kem: connectWith('-groups X25519MLKEM768:X25519'),
  warning_alert: connectWith('-msg'),
  empty_record: connectWith('-msg'),
};
const showCertificate = inspect('-noout -text');

/** The finding that some clients refuse what others accept. */
export const REFUSED = {
  refused_by_clients: {
    kinds: { refused_by_clients: kind(refusal, refusalWords, { fix: refusalFix }) },
    fix: REISSUE,
    command(target) {
      const { rule = '' } = target;
      const showing = SHOWING_RULE[rule];
      if (showing === undefined && isHelloRule(rule)) return null;
      return (showing ?? showCertificate)(target);
    },
    isReasonToReplace: true,
  },
} satisfies Readonly<Record<string, Definition>>;

const WITHOUT_FAULT = 'Ask your authority to reissue the certificate without this fault, then install it.';
const NEW_KEY =
  'Create a new key (ECDSA P-256, or RSA with 2048 to 4096 bits) and have a certificate issued for it.';
const CLASSIC_KEY =
  'Serve a certificate with an ECDSA or RSA key, from an authority with such a key, to these clients. Most servers can serve one beside this one.';
const FIX_AUTHORITY = 'Correct the authority’s settings, and have the certificates concerned reissued by it.';

const OTHER_SIGNATURE =
  'Ask your authority to sign with RSA-PSS in its usual form or with another algorithm, and to reissue the certificate.';
const ONE_ROOT =
  'Remove the root that does not fit from the trusted roots, or have certificates issued whose authority key identifier names the key of their issuer.';
const OTHER_INTERMEDIATE =
  'Ask your authority for an intermediate without this fault, or get a certificate from another authority.';

/** For each rule the reason, which completes “Chrome refuses this certificate: …”, and what to do. */
const RULES: Readonly<Partial<Record<string, Reason>>> = {
  no_digital_signature: {
    why: 'its key usage lacks digitalSignature, which this handshake needs',
    fix: 'Have the certificate reissued with the key usage digitalSignature.',
  },
  no_key_encipherment: {
    why: 'its key usage lacks keyEncipherment, which this handshake needs',
    fix: 'Enable TLS 1.3, or TLS 1.2 with ECDHE ciphers, on the server.',
  },
  rsa_key_exchange: {
    why: 'the server chose RSA key exchange, which these clients no longer offer',
    fix: 'Enable TLS 1.3, or TLS 1.2 with ECDHE ciphers, on the server.',
  },
  p521_key: { why: 'its key is on the curve P-521', fix: NEW_KEY },
  ed25519_key: { why: 'it or its root has an Ed25519 key', fix: NEW_KEY },
  ed448_key: { why: 'it or its root has an Ed448 key', fix: NEW_KEY },
  ml_dsa_key: { why: 'it or its root has an ML-DSA key', fix: CLASSIC_KEY },
  slh_dsa_key: { why: 'it or its root has an SLH-DSA key', fix: CLASSIC_KEY },
  rsa_pss_key: { why: 'its RSA key, or that of its root, is restricted to PSS signatures', fix: NEW_KEY },
  pss_key_parameters: { why: 'its RSA key is restricted to unusual PSS signatures', fix: NEW_KEY },
  pss_salt: {
    why: 'the salt of its RSA-PSS signature is not as long as the hash',
    fix: OTHER_SIGNATURE,
  },
  pss_mask: { why: 'its RSA-PSS signature uses two different hashes', fix: OTHER_SIGNATURE },
  pss_encoding: {
    why: 'the parameters of its RSA-PSS signature are written in a rare form',
    fix: OTHER_SIGNATURE,
  },
  long_exponent: {
    why: 'the exponent of its RSA key has more than 31 bits; Chrome accepts 33, and Firefox 64',
    fix: NEW_KEY,
  },
  no_key_null: { why: 'the algorithm of its RSA key lacks the NULL parameter', fix: WITHOUT_FAULT },
  weak_root_key: { why: 'the RSA key of this root is shorter than 2048 bits', fix: NEW_KEY },
  rare_signature: {
    why: 'the server signs the handshake only with ECDSA and SHA-512, which they do not offer',
    fix: 'Allow ECDSA with SHA-256 among the signature algorithms of the server.',
  },
  rare_group: {
    why: 'the server accepts only key exchange groups that they do not offer',
    fix: 'Enable the groups X25519 and P-256 on the server.',
  },
  first_issuer: {
    why: 'they use the first certificate that the server sends for an issuer, or a root that they know, and these lead to no trusted root',
    fix: 'Remove the certificates that are not needed from the file that your server sends.',
  },
  several_roots: {
    why: 'several trusted roots have the name of its issuer, and they try only one, which is the wrong one',
    fix: ONE_ROOT,
  },
  root_order: {
    why: 'several trusted roots fit, and they try only one: OpenSSL the first in its store, GnuTLS the last, Java any',
    fix: ONE_ROOT,
  },
  partial_chain: {
    why: 'it is trusted, but it is not a root; only programs that allow this accept it, such as curl and Python since 3.13',
    fix: 'Trust the root of this authority instead of its intermediate.',
  },
  anchor_policy: {
    why: 'it demands a certificate policy that the certificates below it do not have',
    fix: FIX_AUTHORITY,
  },
  long_path: {
    why: 'there are too many intermediate certificates; Firefox accepts 6, Chrome 19, Go 99',
    fix: 'Get a certificate from an authority that is closer to its root.',
  },
  long_unordered_path: {
    why: 'more than 5 intermediate certificates are needed, and the server does not send exactly these in their order',
    fix: 'Send the certificate and then its intermediates, each followed by the one that signed it, and no others.',
  },
  large_chain: {
    why: 'the server sends too many or too large certificates; Java accepts 10 and 32 kB, GnuTLS 16, older Go 64 kB',
    fix: 'Remove the certificates that are not needed from the file that your server sends, or have smaller ones issued.',
  },
  large_certificate: {
    why: 'it or an intermediate certificate is larger than 64 kB',
    fix: 'Have a smaller certificate issued, for instance one with fewer names.',
  },
  many_constraints: {
    why: 'its names and the name constraints of its authority take too many comparisons',
    fix: 'Have a certificate with fewer names issued, or ask your authority for an intermediate with fewer constraints.',
  },
  forged_root: {
    why: 'it has the name of a trusted root, but another key',
    fix: 'Leave this certificate out of the file that your server sends.',
  },
  compressed_key: { why: 'the point of its ECDSA key is compressed', fix: NEW_KEY },
  excluded_directory_name: { why: 'its name constraints exclude a directory name', fix: WITHOUT_FAULT },
  email_constraint: {
    why: 'they cannot compare an e-mail address with the name constraints of its authority, or find it excluded by them',
    fix: 'Have the certificate reissued without e-mail addresses, or ask your authority for an intermediate without constraints on them.',
  },
  written_minimum: { why: 'its name constraints state a minimum, which DER forbids', fix: WITHOUT_FAULT },
  critical_policy_constraints: { why: 'its policy constraints are marked as critical', fix: WITHOUT_FAULT },
  long_policy_count: { why: 'a number in its policy constraints is above 255', fix: WITHOUT_FAULT },
  other_tls_feature: {
    why: 'it demands a TLS feature other than “must staple”',
    fix: WITHOUT_FAULT,
  },
  rare_alternative_name: {
    why: 'one of its alternative names is empty or of a rare form',
    fix: 'Have the certificate reissued with host names and addresses only.',
  },
  hyphen_at_end: {
    why: 'a part of the host’s name begins or ends with a hyphen',
    fix: 'Use a name whose parts begin and end with a letter or a digit.',
  },
  public_suffix_wildcard: {
    why: 'it covers this host only by a wildcard for all names of a registry, such as *.co.uk',
    fix: 'Have the certificate reissued for the host’s own name.',
  },
  http2_cipher: {
    why: 'the server agrees on HTTP/2 with a cipher that HTTP/2 forbids',
    fix: 'Enable TLS 1.3, or TLS 1.2 with ECDHE and AES-GCM ciphers, on the server.',
  },
  malformed_key_identifier: { why: 'a key identifier in it cannot be read', fix: WITHOUT_FAULT },
  malformed_crl_points: { why: 'its CRL distribution points cannot be read', fix: WITHOUT_FAULT },
  malformed_issuer_addresses: {
    why: 'its authority information access cannot be read',
    fix: WITHOUT_FAULT,
  },
  malformed_issuer_alt_name: { why: 'its issuer alternative name cannot be read', fix: WITHOUT_FAULT },
  malformed_netscape_type: { why: 'its Netscape certificate type cannot be read', fix: WITHOUT_FAULT },
  malformed_tls_feature: { why: 'its “must staple” extension cannot be read', fix: WITHOUT_FAULT },
  malformed_timestamps: {
    why: 'its Certificate Transparency timestamps (SCTs) cannot be read',
    fix: WITHOUT_FAULT,
  },
  malformed_companion: {
    why: 'a part of it cannot be read',
    fix: 'Leave this certificate out of the file that your server sends.',
  },
  any_purpose_only: {
    why: 'its extended key usage is anyExtendedKeyUsage without serverAuth',
    fix: 'Have the certificate reissued with the extended key usage serverAuth.',
  },
  other_key_identifier: {
    why: 'its authority key identifier does not match its issuer’s key',
    fix: FIX_AUTHORITY,
  },
  other_issuer_serial: {
    why: 'its authority key identifier has the serial number of another certificate',
    fix: FIX_AUTHORITY,
  },
  critical_key_identifier: { why: 'a key identifier in it is marked as critical', fix: WITHOUT_FAULT },
  critical_crl_points: { why: 'its CRL distribution points are marked as critical', fix: WITHOUT_FAULT },
  ocsp_signing_purpose: {
    why: 'its extended key usage names the signing of OCSP responses too',
    fix: 'Have the certificate reissued with the extended key usage serverAuth only.',
  },
  authority_as_leaf: {
    why: 'it is a certificate of an authority (basic constraints), not of a server',
    fix: 'Have your authority issue a certificate for the server, and install that one.',
  },
  explicit_default: {
    why: 'an extension states that it is not critical, which DER forbids',
    fix: WITHOUT_FAULT,
  },
  unknown_policy_qualifier: {
    why: 'a critical certificate policy has an unknown qualifier',
    fix: WITHOUT_FAULT,
  },
  netscape_type: {
    why: 'its Netscape certificate type does not include TLS servers',
    fix: 'Have the certificate reissued without the Netscape certificate type.',
  },
  proxy_certificate: {
    why: 'its extension proxyCertInfo marks it as a proxy certificate',
    fix: 'Have the certificate reissued without the extension proxyCertInfo.',
  },
  long_path_length: { why: 'its path length is above 127', fix: FIX_AUTHORITY },
  negative_serial_number: { why: 'its serial number is negative', fix: WITHOUT_FAULT },
  odd_printable_string: {
    why: 'a PrintableString in its names has a character that this type does not allow',
    fix: 'Have the certificate reissued with names in UTF-8.',
  },
  ampersand_in_name: {
    why: 'a PrintableString in its names has the character “&”',
    fix: 'Have the certificate reissued with names in UTF-8.',
  },
  odd_ia5_string: {
    why: 'an IA5String in its names has a character outside ASCII',
    fix: 'Have the certificate reissued with names in UTF-8.',
  },
  rare_name_type: {
    why: 'a value in its names has a type that they do not read',
    fix: 'Have the certificate reissued with names in UTF-8.',
  },
  name_spelled_differently: {
    why: 'the name of its issuer is spelled differently than in the issuer’s certificate',
    fix: FIX_AUTHORITY,
  },
  name_encoded_differently: {
    why: 'the name of its issuer is encoded differently than in the issuer’s certificate',
    fix: FIX_AUTHORITY,
  },
  empty_subject: {
    why: 'its subject is empty, and its subject alternative name is not critical',
    fix: WITHOUT_FAULT,
  },
  empty_issuer_name: { why: 'the name of its issuer is empty', fix: FIX_AUTHORITY },
  empty_dns_name: { why: 'one of its host names is empty', fix: WITHOUT_FAULT },
  trailing_dot: {
    why: 'its name for this host ends with a dot',
    fix: 'Have the certificate reissued for the name without a dot at its end.',
  },
  underscore: {
    why: 'the host’s name has an underscore',
    fix: 'Use a name of letters, digits and hyphens for this host.',
  },
  malformed_other_name: { why: 'one of its other names cannot be read', fix: WITHOUT_FAULT },
  authority_tls_feature: {
    why: 'it demands “must staple” of the certificates below it, and this host’s does not have it',
    fix: WITHOUT_FAULT,
  },
  critical_policy_mappings: { why: 'its policy mappings are marked as critical', fix: WITHOUT_FAULT },
  self_issued_path_length: {
    why: 'it allows fewer intermediate certificates below it than there are, including its own renewals',
    fix: WITHOUT_FAULT,
  },
  unsupported_constraint: {
    why: 'its name constraints limit a form of names that these clients do not know',
    fix: WITHOUT_FAULT,
  },
  empty_constraint: { why: 'its name constraints permit an empty host name', fix: WITHOUT_FAULT },
  early_date: { why: 'it is valid from a date before 1970', fix: WITHOUT_FAULT },
  numeric_string: {
    why: 'a name in it is a NumericString',
    fix: 'Have the certificate reissued with names in UTF-8.',
  },
  odd_numeric_string: {
    why: 'a NumericString in its names has a character other than a digit',
    fix: 'Have the certificate reissued with names in UTF-8.',
  },
  odd_uri: { why: 'a URI among its names has a malformed host', fix: WITHOUT_FAULT },
  no_timestamps: {
    why: 'it comes without Certificate Transparency timestamps (SCTs)',
    fix: 'Have the certificate reissued with Certificate Transparency timestamps (SCTs).',
  },
  private_lifetime: {
    why: 'it is valid for more than 825 days',
    fix: 'Have the certificate reissued with a shorter lifetime.',
  },
  private_purpose: {
    why: 'its extended key usage does not name TLS servers',
    fix: 'Have the certificate reissued with the extended key usage serverAuth.',
  },
  ...HELLO_REASONS,
} satisfies Record<ClientRuleCode, Reason>;

/** Returns the words of a finding about clients that refuse what others accept. */
function refusalWords({ rule, authority, evidence }: Refusal, { clients }: Pick<Shown, 'clients'>): Words {
  const known = RULES[rule];
  const names = clients.map((client) => {
    const [accepting, refusing] = [ACCEPTING_SINCE[rule]?.[client], REFUSING_SINCE[rule]?.[client]];
    const which = accepting === undefined ? '' : ` before ${accepting}`;
    return `${CLIENT_NAMES[client]}${refusing === undefined ? which : ` since ${refusing}`}`;
  });
  const plainVerb = names.length === 1 ? 'refuses' : 'refuse';
  const refuse = rule === 'root_order' ? 'may refuse' : plainVerb;
  return {
    // A newer version may have stored a rule that this one does not know.
    message: `${listed(names)} ${whatHappens(rule, refuse, authority)}${known === undefined ? '' : `: ${known.why}`}.`,
    evidence: [
      ...(evidence === undefined ? [] : helloEvidence(evidence)),
      // Programs differ in whether they accept a partial chain, which the message says.
      ...(clients.includes('openssl') && rule !== 'partial_chain'
        ? [{ label: 'OpenSSL', value: 'used by curl, Python, PHP, Node.js, Ruby and others' }]
        : []),
    ],
  };
}

function whatHappens(rule: string, refuse: string, authority: string | null): string {
  if (isHelloRule(rule)) return 'cannot connect';
  if (OF_CONNECTION.has(rule)) return `${refuse} the connection`;
  return `${refuse} ${authority === null ? 'this certificate' : `the certificate “${authority}”`}`;
}

/** Rules about the handshake, other than those about a ClientHello. */
const OF_CONNECTION: ReadonlySet<string> = new Set<ClientRuleCode>([
  'rsa_key_exchange',
  'rare_group',
  'rare_signature',
  'http2_cipher',
  'warning_alert',
  'empty_record',
]);

/** Rules about CA certificates against which the owner of the host can act: leave them out, or trust others. */
const OF_OWNER: ReadonlySet<string> = new Set<ClientRuleCode>([
  'malformed_companion',
  'first_issuer',
  'long_unordered_path',
  'forged_root',
  'partial_chain',
  'anchor_policy',
]);

/** Returns one concrete thing to do, in one or two sentences. */
function refusalFix({ rule, authority }: Refusal): string {
  const { fix = WITHOUT_FAULT } = RULES[rule] ?? {};
  // The owner of the host cannot change a certificate of the authority.
  return authority === null || OF_OWNER.has(rule) ? fix : OTHER_INTERMEDIATE;
}
