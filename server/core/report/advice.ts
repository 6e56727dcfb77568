import type { Finding, FindingCode } from '../finding.ts';

/** Place for private authorities: the profile of an account, or the command line. */
export type OwnAuthorities = 'profile' | 'shell';

const OWN_AUTHORITIES: Record<OwnAuthorities, string> = {
  profile: 'add its root to the authorities in your profile.',
  shell: 'pass its root with --ca FILE.',
};
/**
 * Advice about adding the self-signed certificate itself as an authority. The profile accepts it only if it is a CA
 * certificate.
 */
const ITSELF: Record<OwnAuthorities, string> = {
  profile: 'You can add the certificate itself there only if it is a CA certificate (CA: true).',
  shell: 'You can also pass the certificate itself.',
};
const REISSUE = 'Have the certificate reissued, and install it with the chain that comes with it.';
const WITHOUT_MORE = 'the certificate first, then each issuer in turn, without the root.';
const LEAVE_OUT = `Remove what clients do not need, and send the rest in order: ${WITHOUT_MORE}`;

const FIXES: Record<Exclude<FindingCode, 'name_mismatch' | 'self_signed' | 'untrusted_root'>, string> = {
  expired:
    'Renew the certificate, install it and reload the server. If renewal is automatic, find out why it stopped.',
  not_yet_valid: 'Install a certificate that is valid now, or wait. If the date is wrong, have it reissued.',
  incomplete_chain:
    'Install the full chain that your authority delivers with the certificate (often called fullchain.pem).',
  intermediate_expired:
    'Install the current intermediate of your authority. If there is none, have the certificate reissued.',
  path_invalid: REISSUE,
  weak_key:
    'Create a new key (ECDSA P-256, or RSA with 2048 to 4096 bits) and have a certificate issued for it.',
  weak_signature: 'Have the certificate reissued: authorities sign with SHA-256 or better today.',
  unverifiable:
    'Check with a client that supports this algorithm. For clients that do not, install a certificate with an ECDSA or RSA key from an authority with such a key.',
  malformed_certificate:
    'Install the certificate file again. If that does not help, have the certificate reissued.',
  legacy_tls: 'Enable TLS 1.2 and 1.3 on the server, with their default ciphers.',
  other_certificate_without_alpn:
    'If clients without ALPN should reach this host too, send them to the same server, or install a certificate for this name there.',
  certificates_differ: 'Install the new certificate on the servers at these addresses too, and reload them.',
  address_unreachable: 'Start the server at these addresses, or remove them from DNS.',
  address_left_out:
    'Nothing to do if the name is meant to have private addresses too. Otherwise remove them from DNS, because visitors cannot reach them.',
  lifetime_too_long: 'Have the certificate reissued with a shorter lifetime.',
  distrusted_root: 'Get a certificate from another authority.',
  revoked: 'Create a new key, have a certificate issued for it, install it and reload the server.',
  intermediate_revoked: REISSUE,
  staple_invalid: 'Have the server fetch a new OCSP response. If it cannot, turn stapling off.',
  staple_missing: 'Turn OCSP stapling on, or have the certificate reissued without “must staple”.',
  renewal_overdue: 'Renew the certificate. If renewal is automatic, find out why it did not run.',
  replacement_wanted: 'Renew the certificate now: your authority may revoke this one soon.',
  unused_certificate_expired: LEAVE_OUT,
  wrong_order: LEAVE_OUT,
  chain_cut: LEAVE_OUT,
  extra_certificate: LEAVE_OUT,
  refused_by_clients: REISSUE,
  http2_fault: 'Correct HTTP/2 on the server, or on the proxy in front of it, or switch it off there.',
  start_tls_code:
    'Nothing to do if your clients connect. Otherwise update the FTP server: some clients accept no other code than 234.',
};

/** Returns one concrete thing to do about a finding, in one or two sentences. `host`: display name of the host. */
export function fixFor(
  { code, severity, attachment }: Pick<Finding, 'code' | 'severity' | 'attachment'>,
  host: string,
  ownAuthorities: OwnAuthorities = 'profile',
): string {
  const isNote = severity === 'note';
  if (attachment === 'chain')
    return isNote
      ? `Send this file instead: ${WITHOUT_MORE}`
      : 'Send this file: the certificate and its intermediates, in the right order.';
  if (code === 'malformed_certificate' && severity === 'warning')
    return 'Remove everything that is not a certificate from the file that your server sends.';
  switch (code) {
    case 'name_mismatch':
      // A certificate covers a host, whatever the port.
      return `Get a certificate that covers ${host.replace(/:\d+$/, '')}, or configure the server to use the right one for this name.`;
    case 'self_signed':
      return `Install a certificate from a public authority. Or have your own authority issue one and ${OWN_AUTHORITIES[ownAuthorities]} ${ITSELF[ownAuthorities]}`;
    case 'untrusted_root':
      return `Install a certificate from a public authority. If your own authority issued this one, ${OWN_AUTHORITIES[ownAuthorities]}`;
    default:
      return FIXES[code];
  }
}
