import type { Finding, FindingCode } from '../finding.ts';

/** Place for private authorities: the profile of an account, or the command line. */
export type OwnAuthorities = 'profile' | 'shell';

const OWN_AUTHORITIES: Record<OwnAuthorities, string> = {
  profile: 'add that one’s root to the authorities in your profile.',
  shell: 'name the file with that one’s root with --ca FILE.',
};
/**
 * Advice about adding the self-signed certificate itself as an authority. The profile accepts it only if it is a CA
 * certificate.
 */
const ITSELF: Record<OwnAuthorities, string> = {
  profile: 'The certificate itself can be added there only if it may issue others (CA: true).',
  shell: 'A file with the certificate itself does as well.',
};
const REISSUE = 'Have the certificate issued anew, and install it with the chain that comes with it.';
const WITHOUT_MORE = 'the certificate first, then each one that issued the one before it, and no root.';
const LEAVE_OUT = `Leave out what no client needs, and send the rest in order: ${WITHOUT_MORE}`;

const FIXES: Record<Exclude<FindingCode, 'name_mismatch' | 'self_signed' | 'untrusted_root'>, string> = {
  expired:
    'Renew the certificate, install it and reload the server. If renewal is automatic, look for why it stopped.',
  not_yet_valid:
    'Install the certificate that is valid now, or wait; if the date is wrong, have it issued anew.',
  incomplete_chain:
    'Install the full chain that your authority delivers with the certificate (often called fullchain.pem).',
  intermediate_expired:
    'Install the current intermediate of your authority; without one, have the certificate issued anew.',
  path_invalid: REISSUE,
  weak_key: 'Have a certificate issued for a new key: ECDSA P-256, or RSA with 2048 bits or more.',
  weak_signature: 'Have the certificate issued anew: authorities sign with SHA-256 or better today.',
  malformed_certificate:
    'Install the file with the certificate again; if it is the same, have it issued anew.',
  legacy_tls: 'Let the server offer TLS 1.2 and 1.3, with the ciphers that it comes with.',
  certificates_differ:
    'Install the new certificate on the servers behind these addresses too, and reload them.',
  address_unreachable: 'Start the server at these addresses, or take them out of DNS.',
  lifetime_too_long: 'Have the certificate issued anew, for less time.',
  distrusted_root: 'Have the certificate issued by another authority.',
  revoked: 'Have a certificate issued for a new key, install it and reload the server.',
  intermediate_revoked: REISSUE,
  staple_invalid: 'Let the server fetch the OCSP answer anew; if it cannot, switch stapling off.',
  staple_missing: 'Switch OCSP stapling on, or have the certificate issued without “must staple”.',
  renewal_overdue: 'Renew the certificate. If renewal is automatic, look for why it did not run.',
  replacement_wanted: 'Renew the certificate now; your authority may revoke this one soon.',
  unused_certificate_expired: LEAVE_OUT,
  wrong_order: LEAVE_OUT,
  chain_cut: LEAVE_OUT,
  extra_certificate: LEAVE_OUT,
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
      : 'Send this file: the certificate and what stands above it, in the order that clients expect.';
  if (code === 'malformed_certificate' && isNote)
    return 'Leave what is no certificate out of the file that your server sends.';
  switch (code) {
    case 'name_mismatch':
      return `Have a certificate issued that names ${host}, or let the server choose the right one for this name.`;
    case 'self_signed':
      return `Install a certificate of a public authority, or one that an authority of your own issues, and ${OWN_AUTHORITIES[ownAuthorities]} ${ITSELF[ownAuthorities]}`;
    case 'untrusted_root':
      return `Install a certificate of a public authority. If it comes from an authority of your own, ${OWN_AUTHORITIES[ownAuthorities]}`;
    default:
      return FIXES[code];
  }
}
