import { expect, it } from 'vitest';
import { type Client, CLIENTS } from '../../contract/check-words.ts';
import type { Finding } from '../../server/core/finding.ts';
import type { ClientRuleCode } from '../../server/core/findings/clients.ts';
import { serve, verdictAt } from '../clients/compare.ts';
import { HOST, leafScenario, mintRoots, type Scenario } from '../clients/scenario.ts';
import { SCENARIOS } from '../clients/scenarios.ts';

const roots = mintRoots();

const WITH_ML_KEM: readonly Client[] = ['chromium', 'firefox', 'apple', 'openssl', 'go', 'java'];

/** For each rule, a server that shows it. `npm run test:clients` asks the clients themselves. */
const SHOWN: readonly [rule: ClientRuleCode, scenario: string, clients: readonly Client[]][] = [
  ['no_digital_signature', 'P-256: keyEncipherment only (TLS 1.3)', ['chromium', 'gnutls', 'java']],
  ['no_digital_signature', 'RSA-2048: keyAgreement only (TLS 1.2, ECDHE)', ['chromium', 'gnutls', 'java']],
  [
    'no_key_encipherment',
    'RSA-2048: digitalSignature and keyCertSign (TLS 1.2, RSA key exchange)',
    ['chromium', 'gnutls'],
  ],
  ['rsa_key_exchange', 'RSA-2048: no keyUsage extension (TLS 1.2, RSA key exchange)', ['go', 'java']],
  ['p521_key', 'leaf with P-521', ['chromium']],
  ['ed25519_key', 'leaf with Ed25519', ['chromium', 'firefox']],
  ['ed25519_key', 'intermediate with Ed25519', ['chromium', 'firefox']],
  ['ed448_key', 'leaf with Ed448', ['chromium', 'firefox', 'go']],
  ['ml_dsa_key', 'leaf with ML-DSA-65', ['firefox', 'apple', 'openssl', 'go', 'java', 'gnutls']],
  ['ml_dsa_key', 'intermediate with ML-DSA-65', ['firefox', 'apple', 'openssl', 'go', 'java', 'gnutls']],
  [
    'slh_dsa_key',
    'intermediate with SLH-DSA-SHA2-128s',
    ['chromium', 'firefox', 'apple', 'openssl', 'go', 'java', 'gnutls'],
  ],
  ['rsa_pss_key', 'leaf with RSA-PSS-2048', ['chromium', 'firefox', 'go']],
  ['rsa_pss_key', 'intermediate with an RSA-PSS key for SHA-256', ['chromium', 'firefox', 'go']],
  ['rsa_pss_key', 'root with an RSA-PSS key', ['chromium', 'firefox', 'go']],
  ['pss_key_parameters', 'leaf with an RSA-PSS key for salts of 20 bytes', ['gnutls']],
  ['pss_key_parameters', 'leaf with an RSA-PSS key for a mask by SHA-1', ['java', 'gnutls']],
  [
    'pss_key_parameters',
    'intermediate with an RSA-PSS key for SHA-256 with a trailer field of 2',
    ['java', 'gnutls'],
  ],
  ['pss_salt', 'leaf signed by RSA-PSS with a salt of 20 bytes', ['chromium', 'firefox', 'go', 'gnutls']],
  [
    'pss_salt',
    'intermediate signed by RSA-PSS with the longest salt',
    ['chromium', 'firefox', 'go', 'gnutls'],
  ],
  [
    'pss_salt',
    'intermediate with an RSA-PSS key for salts of 20 bytes that signs with them',
    ['chromium', 'firefox', 'go'],
  ],
  ['pss_mask', 'leaf signed by RSA-PSS with a mask by SHA-1', ['chromium', 'firefox', 'go', 'gnutls']],
  ['pss_encoding', 'leaf signed by RSA-PSS with a trailer field of 1', ['chromium', 'firefox']],
  ['pss_encoding', 'intermediate signed by RSA-PSS without NULL', ['firefox']],
  ['long_exponent', 'leaf with RSA and an exponent of 32 bits', ['go']],
  ['long_exponent', 'leaf with RSA and an exponent of 64 bits', ['chromium', 'go']],
  ['long_exponent', 'intermediate with RSA and an exponent of 65 bits', ['chromium', 'firefox', 'go']],
  ['no_key_null', 'leaf whose RSA key has no NULL', ['chromium', 'firefox', 'go']],
  ['malformed_key_identifier', 'malformed subjectKeyIdentifier', ['openssl', 'chromium', 'go']],
  ['malformed_key_identifier', 'malformed AKI of the intermediate', ['openssl', 'chromium', 'go']],
  ['malformed_crl_points', 'malformed crlDistributionPoints', ['openssl', 'go']],
  ['malformed_issuer_addresses', 'malformed authorityInformationAccess', ['chromium', 'firefox', 'go']],
  ['malformed_issuer_addresses', 'malformed AIA of the intermediate', ['chromium', 'go']],
  ['malformed_issuer_addresses', 'empty authorityInformationAccess', ['chromium']],
  ['malformed_issuer_alt_name', 'malformed issuerAltName', ['gnutls']],
  ['malformed_netscape_type', 'malformed netscapeCertType', ['openssl']],
  ['malformed_tls_feature', 'malformed tlsFeature', ['firefox']],
  ['malformed_timestamps', 'malformed certificateTimestamps', ['firefox']],
  ['malformed_companion', 'a further certificate with malformed key identifiers', ['go']],
  ['any_purpose_only', 'anyExtendedKeyUsage only', ['firefox', 'openssl']],
  ['any_purpose_only', 'intermediate for anyExtendedKeyUsage', ['firefox', 'openssl', 'gnutls']],
  ['ocsp_signing_purpose', 'serverAuth and ocspSigning', ['firefox']],
  ['authority_as_leaf', 'leaf that is a CA', ['firefox']],
  ['other_key_identifier', 'AKI with another key id', ['openssl', 'gnutls']],
  ['other_key_identifier', 'AKI of the intermediate with another key id', ['openssl', 'gnutls', 'java']],
  ['other_issuer_serial', 'AKI with another issuer and serial number', ['openssl']],
  ['critical_crl_points', 'critical CRL distribution points', ['chromium', 'firefox', 'java']],
  ['critical_key_identifier', 'critical SKI', ['openssl', 'chromium', 'firefox', 'go', 'java']],
  ['explicit_default', 'unknown extension with an explicit FALSE', ['chromium']],
  ['unknown_policy_qualifier', 'critical policy with an unknown qualifier', ['chromium']],
  [
    'unknown_policy_qualifier',
    'critical policy with an unknown qualifier in the intermediate',
    ['chromium', 'java'],
  ],
  ['netscape_type', 'nsCertType client only', ['openssl', 'java']],
  ['proxy_certificate', 'proxyCertInfo in the leaf', ['openssl']],
  ['proxy_certificate', 'proxyCertInfo in the upper intermediate', ['openssl']],
  ['proxy_certificate', 'root with proxyCertInfo', ['openssl']],
  ['long_path_length', 'path length 200', ['firefox']],
  ['long_path_length', 'path length 300', ['chromium', 'firefox']],
  ['negative_serial_number', 'negative serial number', ['go']],
  ['odd_printable_string', 'subject: PrintableString with @', ['chromium', 'go']],
  ['odd_printable_string', 'issuer: PrintableString in Latin-1', ['chromium', 'go']],
  ['ampersand_in_name', 'subject: PrintableString with &', ['chromium']],
  ['odd_ia5_string', 'subject: IA5String in Latin-1', ['chromium', 'go']],
  ['rare_name_type', 'subject: UniversalString', ['go']],
  ['name_spelled_differently', 'issuer name in upper case', ['firefox', 'go', 'gnutls']],
  ['name_encoded_differently', 'issuer name as PrintableString', ['firefox', 'go']],
  ['empty_subject', 'empty subject, SAN not critical', ['chromium', 'java']],
  ['empty_issuer_name', 'intermediate with an empty subject', ['firefox', 'java']],
  ['empty_dns_name', 'empty name beside the name', ['gnutls']],
  ['trailing_dot', 'trailing dot', ['firefox', 'go', 'java', 'gnutls']],
  ['underscore', 'underscore', ['java']],
  ['malformed_key_identifier', 'AKI with another issuer and no serial number', ['chromium']],
  ['other_issuer_serial', 'AKI with another issuer and no serial number', ['openssl']],
  ['malformed_crl_points', 'empty CRL distribution point', ['openssl']],
  ['malformed_crl_points', 'CRL distribution point with a relative name', ['go']],
  ['critical_policy_mappings', 'critical policyMappings in the leaf', ['firefox', 'gnutls']],
  ['authority_tls_feature', 'must-staple in the intermediate only', ['firefox', 'gnutls']],
  ['malformed_other_name', 'malformed otherName beside the name', ['openssl', 'gnutls']],
  ['odd_uri', 'URI with a malformed escape beside the name', ['go']],
  ['numeric_string', 'subject: NumericString', ['chromium']],
  ['odd_numeric_string', 'subject: NumericString with a letter', ['go']],
  ['early_date', 'valid since 1950', ['firefox']],
  ['unsupported_constraint', 'name constraints on a form that few know', ['go', 'gnutls']],
  ['empty_constraint', 'name constraints that permit an empty name', ['java']],
  ['self_issued_path_length', 'a CA with path length 0 that renewed itself', ['firefox', 'go', 'gnutls']],
  [
    'self_issued_path_length',
    'root with path length 0 above an intermediate with its name',
    ['firefox', 'go', 'gnutls'],
  ],
  ['compressed_key', 'leaf with a compressed point', ['firefox', 'go', 'java', 'gnutls']],
  ['weak_root_key', 'root RSA-1024', ['openssl']],
  ['any_purpose_only', 'root for anyExtendedKeyUsage', ['firefox', 'openssl']],
  ['long_path_length', 'root with path length 300', ['chromium', 'firefox']],
  ['explicit_default', 'root with an explicit FALSE', ['chromium']],
  ['rare_signature', 'signature ECDSA+SHA512 only', ['chromium', 'apple']],
  ['anchor_policy', 'root that requires a policy', ['chromium']],
  ['critical_policy_constraints', 'root with critical policy constraints', ['gnutls']],
  ['long_policy_count', 'root with inhibitAnyPolicy of 256', ['chromium']],
  ['critical_policy_mappings', 'root with critical policyMappings', ['firefox', 'gnutls']],
  [
    'critical_key_identifier',
    'intermediate without AKI below the root with a critical SKI',
    ['openssl', 'chromium', 'firefox', 'go'],
  ],
  ['malformed_key_identifier', 'root with a malformed AKI', ['openssl', 'chromium', 'go']],
  ['other_key_identifier', 'root with a malformed subjectKeyIdentifier', ['java']],
  ['other_key_identifier', 'leaf below a root whose AKI has another key id', ['openssl', 'java', 'gnutls']],
  [
    'other_key_identifier',
    'lower of two intermediates with another key id in its AKI',
    ['openssl', 'gnutls'],
  ],
  ['critical_crl_points', 'root with critical CRL points', ['chromium', 'firefox']],
  ['malformed_crl_points', 'root with malformed CRL points', ['openssl', 'go']],
  ['malformed_issuer_addresses', 'root with a malformed AIA', ['chromium', 'go']],
  ['malformed_issuer_addresses', 'root with an empty AIA', ['chromium']],
  ['malformed_netscape_type', 'root with a malformed netscapeCertType', ['openssl']],
  ['authority_tls_feature', 'root with must-staple', ['firefox', 'gnutls']],
  ['unsupported_constraint', 'root with constraints on a registeredID', ['go', 'gnutls']],
  ['excluded_directory_name', 'root with constraints that exclude a directory name', ['firefox']],
  ['written_minimum', 'root with constraints with a minimum', ['chromium', 'firefox']],
  ['unknown_policy_qualifier', 'root with a critical unknown qualifier', ['chromium']],
  ['early_date', 'root valid since 1950', ['firefox']],
  ['negative_serial_number', 'root with a negative serial number', ['go']],
  ['partial_chain', 'root that is an intermediate', ['openssl']],
  ['several_roots', 'two roots with two keys: leaf below the second', ['openssl']],
  ['several_roots', 'two roots with two keys: intermediate below the first', ['gnutls']],
  ['root_order', 'two roots with one key, the second no CA: leaf below the first', ['openssl', 'java']],
  ['rare_group', 'group P-521 only', ['chromium']],
  ['rare_group', 'group X448 only', ['chromium', 'firefox', 'go']],
  ['rare_group', 'group ffdhe2048 only', ['chromium', 'go']],
  ['rare_group', 'group X25519MLKEM768 only', ['java', 'gnutls']],
  ['first_issuer', 'first of two intermediates with one key is for clientAuth', ['openssl', 'gnutls']],
  ['first_issuer', 'first of two intermediates with one key has expired', ['gnutls']],
  ['first_issuer', 'cross-signed by an unknown root, which is sent first', ['openssl', 'gnutls']],
  ['first_issuer', 'root that has expired, and a certificate for it by another root', ['openssl']],
  ['long_path', 'chain of 7 intermediates', ['firefox']],
  ['long_path', 'chain of 20 intermediates', ['chromium', 'firefox']],
  ['long_path', 'chain of 100 intermediates', ['chromium', 'firefox', 'go']],
  ['long_unordered_path', '6 intermediates in reverse order', ['java']],
  ['long_unordered_path', '6 intermediates in order, then a stranger', ['java']],
  ['large_chain', 'twelve certificates that do not belong', ['java']],
  ['large_chain', 'an extension of 60 kB', ['java']],
  ['large_chain', '17 certificates with keys on P-256, the intermediate last', ['java', 'gnutls']],
  ['large_chain', '150 certificates with keys on P-256, the intermediate last', ['go', 'java', 'gnutls']],
  ['large_chain', 'one certificate of 32760 bytes, TLS 1.3', ['java']],
  ['large_chain', 'one certificate of 32763 bytes, TLS 1.2', ['java']],
  ['large_chain', 'an unneeded certificate of 70,000 bytes', ['go', 'java']],
  ['large_certificate', 'one certificate of 99000 bytes, TLS 1.3', ['firefox']],
  ['large_certificate', 'an intermediate of 65536 bytes', ['firefox']],
  ['many_constraints', '600 permitted host names and a certificate with 500', ['go']],
  ['many_constraints', '600 excluded addresses and a certificate with 500', ['go']],
  [
    'many_constraints',
    '1024 excluded host names and a certificate with 1025',
    ['openssl', 'chromium', 'go', 'gnutls'],
  ],
  ['forged_root', 'a forged root with the name of the true one is sent', ['java']],
  ['malformed_companion', 'a further certificate with a PrintableString with @', ['go']],
  ['rare_name_type', 'an attribute with a SEQUENCE', ['go']],
  ['excluded_directory_name', 'name constraints that exclude a directory name', ['firefox']],
  ['email_constraint', 'e-mail address "user"@example.com, permitted “example.com”', ['chromium', 'firefox']],
  ['email_constraint', 'e-mail address USER@example.com, excluded “user@example.com”', ['firefox', 'java']],
  [
    'email_constraint',
    'e-mail address in the subject that is not permitted, beside a permitted one',
    ['openssl'],
  ],
  ['email_constraint', 'SmtpUTF8Mailbox ü@example.com, excluded “example.com”', ['openssl']],
  ['written_minimum', 'name constraints with an explicit minimum of 0', ['chromium', 'firefox']],
  ['critical_policy_constraints', 'policy constraints that allow mapping never', ['gnutls']],
  ['long_policy_count', 'inhibitAnyPolicy of 256', ['chromium']],
  ['other_tls_feature', 'TLS feature 17', ['firefox']],
  ['rare_alternative_name', 'empty URI beside the name', ['gnutls']],
  ['rare_alternative_name', 'ediPartyName beside the name', ['java', 'gnutls']],
  ['hyphen_at_end', 'label ending with a hyphen', ['firefox', 'java']],
  ['hyphen_at_end', 'wildcard for a label ending with a hyphen', ['java']],
  ['http2_cipher', 'HTTP/2: cipher ECDHE-RSA-AES128-SHA', ['chromium', 'firefox']],
  ['http2_cipher', 'HTTP/2: cipher AES128-GCM-SHA256', ['chromium', 'firefox']],
  ['http2_cipher', 'HTTP/2: cipher AES128-SHA', ['chromium', 'firefox']],
  ['public_suffix_wildcard', 'suffix: *.co.uk for shop.co.uk', ['chromium', 'apple']],
  ['public_suffix_wildcard', 'suffix: *.museum.ck for www.museum.ck', ['chromium', 'apple']],
  ['public_suffix_wildcard', 'suffix: *.xn--55qx5d.cn for shop.xn--55qx5d.cn', ['chromium', 'apple']],
  ['private_lifetime', 'valid for 826 days', ['apple']],
  ['private_purpose', 'no extendedKeyUsage', ['apple']],
  ['hello_size', 'ClientHello of more than 1,400 bytes is reset', WITH_ML_KEM],
  ['hello_size', 'ClientHello of more than 1,700 bytes is reset', ['chromium', 'firefox']],
  ['hello_ml_kem', 'ClientHello with ML-KEM gets an HTTP response', WITH_ML_KEM],
  ['hello_ml_dsa', 'ClientHello with ML-DSA signatures is reset', ['chromium', 'openssl', 'go']],
  ['hello_grease', 'ClientHello with any reserved value is reset', ['chromium', 'apple']],
  ['hello_grease', 'ClientHello with a reserved signature algorithm is reset', ['chromium']],
  [
    'hello_extensions',
    'ClientHello with any new extension is reset',
    ['chromium', 'firefox', 'apple', 'gnutls'],
  ],
  ['hello_ech', 'ClientHello with encrypted_client_hello is closed', ['chromium', 'firefox']],
  ['hello_compression', 'ClientHello with compress_certificate is reset', ['chromium', 'apple']],
  [
    'hello_compression',
    'ClientHello with compress_certificate gets the alert decode_error',
    ['chromium', 'firefox', 'apple'],
  ],
  ['hello_alps', 'ClientHello with application_settings is reset', ['chromium']],
  ['hello_trust_anchors', 'ClientHello with trust_anchors is reset', ['chromium']],
  [
    'hello_timestamps',
    'ClientHello with signed_certificate_timestamp is reset',
    ['chromium', 'firefox', 'apple', 'go'],
  ],
  ['hello_delegated_credentials', 'ClientHello with delegated_credential is reset', ['firefox']],
  ['hello_record_size_limit', 'ClientHello with record_size_limit is reset', ['firefox', 'gnutls']],
  ['hello_whole', 'ClientHello with more than 15 extensions is reset', ['chromium', 'firefox']],
  ['warning_alert', 'warning unrecognized_name (TLS 1.3)', ['java']],
  ['empty_record', 'an empty record first (TLS 1.2)', ['go', 'gnutls']],
  [
    'empty_record',
    'an empty ChangeCipherSpec after the ServerHello (TLS 1.2)',
    ['chromium', 'firefox', 'go', 'java', 'gnutls'],
  ],
];

/** Returns the findings about a scenario's server that name the clients which refuse it. */
async function refusals(name: string, arePublic = false): Promise<Finding[]> {
  const scenario = SCENARIOS.find((one) => one.name === name);
  if (scenario === undefined) throw new Error(`no scenario ${name}`);
  return refusalsOf(scenario, arePublic);
}

async function refusalsOf(scenario: Omit<Scenario, 'name'>, arePublic = false) {
  const peer = await serve(scenario, roots);
  if (peer === null) throw new Error('OpenSSL cannot serve this certificate');
  try {
    const { findings } = await verdictAt(scenario.host ?? HOST, peer.port, roots, {
      arePublic,
      withPosture: scenario.needsPosture === true,
    });
    return findings.filter(({ code }) => code === 'refused_by_clients');
  } finally {
    await peer.stop();
  }
}

it.each(SHOWN)('The rule %s names the clients that refuse “%s”', async (rule, scenario, clients) => {
  const found = (await refusals(scenario)).filter(
    ({ facts }) => facts.kind === 'refused_by_clients' && facts.rule === rule,
  );
  expect(found.map((finding) => finding.clients)).toEqual([
    CLIENTS.filter((client) => clients.includes(client)),
  ]);
});

it('No client is reported to refuse an ordinary certificate', async () => {
  expect(await refusals('nothing odd')).toEqual([]);
  expect(await refusals('bytes after the CRL distribution points')).toEqual([]);
});

it.each([
  '10 certificates with keys on P-256, the intermediate last',
  'one certificate of 32759 bytes, TLS 1.3',
  'one certificate of 32762 bytes, TLS 1.2',
  'chain of 6 intermediates',
  '5 intermediates in reverse order',
  '6 intermediates in order, then the root and a stranger',
  '6 intermediates in reverse order, and a shorter path',
  'intermediate signed by RSA-PSS as usual',
  'SmtpUTF8Mailbox ü@bücher.example, permitted “xn--bcher-kva.example”',
  'e-mail address user@example.com, permitted “user@EXAMPLE.com”',
  '500 permitted host names and a certificate with 500',
  'leaf with RSA and an exponent of 31 bits',
  'HTTP/2: cipher ECDHE-RSA-AES128-GCM-SHA256',
  'HTTP/2: cipher ECDHE-RSA-CHACHA20-POLY1305',
  'cipher ECDHE-RSA-AES256-SHA only',
  'suffix: *.github.io for name.github.io',
  'suffix: *.city.kawasaki.jp for www.city.kawasaki.jp',
  'suffix: *.co.uk and shop.co.uk for shop.co.uk',
  'suffix: other.example alone for shop.co.uk',
])('No client is reported to refuse a server that is just within every limit: %s', async (scenario) => {
  expect(await refusals(scenario)).toEqual([]);
});

it('A refusal by older versions alone is a warning', async () => {
  const [found] = await refusals('600 permitted host names and a certificate with 500');
  expect(found).toMatchObject({ severity: 'warning', clients: ['go'] });
});

it('A certificate of a public root without an embedded certificate timestamp (SCT) is a critical finding', async () => {
  const rule = { rule: 'no_timestamps', kind: 'refused_by_clients', authority: null };
  expect(await refusals('nothing odd', true)).toMatchObject([{ facts: rule, severity: 'critical' }]);
  const logged = leafScenario('logged', { timestamps: [Date.now()] });
  expect(await refusalsOf(logged, true)).toEqual([]);
});

it('Java refuses a wildcard below a public suffix if the root is public', async () => {
  const found = await refusals('suffix: *.co.uk for shop.co.uk', true);
  expect(found).toContainEqual(
    expect.objectContaining({
      facts: { kind: 'refused_by_clients', rule: 'public_suffix_wildcard', authority: null },
      clients: ['chromium', 'apple', 'java'],
    }),
  );
});

it('A refusal by Chromium or OpenSSL is critical, and a refusal by Java alone is a warning', async () => {
  const severities = await Promise.all(
    ['leaf with P-521', 'nsCertType client only', 'underscore'].map(async (name) => {
      const [found] = await refusals(name);
      return found?.severity;
    }),
  );
  expect(severities).toEqual(['critical', 'critical', 'warning']);
});
