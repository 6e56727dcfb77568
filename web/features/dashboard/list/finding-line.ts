import type { DomainWire, FindingWire } from '../../../../contract/domain.ts';

/** Short texts for cards; other findings show their full sentence. */
const SHORT_LINES: Record<string, string> = {
  not_yet_valid: 'Not valid yet',
  name_mismatch: 'Not trusted: wrong name',
  self_signed: 'Not trusted: self-signed',
  untrusted_root: 'Not trusted: unknown authority',
  incomplete_chain: 'The chain is incomplete',
  intermediate_expired: 'Not trusted: an intermediate has expired',
  distrusted_root: 'Not trusted: browsers distrust its root',
  intermediate_revoked: 'Not trusted: an intermediate is revoked',
  path_invalid: 'Not trusted: the chain is not valid',
  malformed_certificate: 'The certificate is malformed',
  weak_key: 'The key is too weak',
  weak_signature: 'The signature is too weak',
  unverifiable: 'We cannot verify its signature',
  legacy_tls: 'Only old TLS versions are offered',
  certificates_differ: 'Addresses serve different certificates',
  other_certificate_without_alpn: 'Another certificate without ALPN',
  lifetime_too_long: 'Valid for longer than browsers allow',
  staple_invalid: 'The stapled OCSP response is not valid',
  staple_missing: 'The required OCSP staple is missing',
  renewal_overdue: 'Renewal overdue',
  replacement_wanted: 'Its CA wants it replaced',
  http2_fault: 'HTTP/2 is faulty',
  address_unreachable: 'Some addresses cannot be reached',
};

const SHOWN_BY_BADGE = ['expired', 'revoked'];
/** States whose badge counts the days, so an overdue renewal needs no extra line. */
const COUNTED_DOWN = ['expired', 'critical', 'soon'];

/** Returns the finding for the card: the first that is more than a note and that no badge shows. */
export function worstFinding(domain: DomainWire): FindingWire | null {
  const isShownByBadge = (code: string) =>
    SHOWN_BY_BADGE.includes(code) || (code === 'renewal_overdue' && COUNTED_DOWN.includes(domain.state));
  const isNews = ({ severity, code }: FindingWire) => severity !== 'note' && !isShownByBadge(code);
  return domain.findings.find(isNews) ?? null;
}

/** Returns 'Not trusted: wrong name'; for addresses that differ only in age, how many are behind. */
export function shortFindingLine({ code, message }: FindingWire): string {
  const behind = code === 'certificates_differ' && /^(\d+ of \d+ addresses) still/.exec(message);
  return behind ? `${behind[1]}: old certificate` : (SHORT_LINES[code] ?? message);
}
