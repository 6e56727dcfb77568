import type { DomainWire, FindingWire } from '../../../contract/domain.ts';

/** The few words that stand on a card; whatever is not listed is said with the finding's own sentence. */
const SHORT_LINES: Record<string, string> = {
  not_yet_valid: 'Not valid yet',
  name_mismatch: 'Not valid for this name',
  self_signed: 'Not trusted: self-signed',
  untrusted_root: 'Not trusted: unknown authority',
  incomplete_chain: 'The chain is incomplete',
  intermediate_expired: 'Not trusted: an intermediate has expired',
  distrusted_root: 'Not trusted: browsers distrust its root',
  intermediate_revoked: 'Not trusted: an intermediate was revoked',
  path_invalid: 'Not trusted: the chain is not valid',
  malformed_certificate: 'The certificate is malformed',
  weak_key: 'The key is too weak',
  weak_signature: 'The signature is too weak',
  legacy_tls: 'Only old TLS versions are offered',
  certificates_differ: 'Addresses serve different certificates',
  lifetime_too_long: 'Valid for longer than browsers allow',
  staple_invalid: 'The stapled answer does not count',
  staple_missing: 'The OCSP answer it demands is missing',
  renewal_overdue: 'Renewal overdue',
  replacement_wanted: 'Its CA wants it replaced',
  address_unreachable: 'Not every address can be reached',
};

const SAID_BY_BADGES = ['expired', 'revoked'];
/** States whose badge counts the days: that it should have been renewed by now goes without saying. */
const COUNTED_DOWN = ['expired', 'critical', 'soon'];

/** The finding to put on the card: the first that is more than a note and that no badge says already. */
export function worstFinding(domain: DomainWire): FindingWire | null {
  const isSaid = (code: string) =>
    SAID_BY_BADGES.includes(code) || (code === 'renewal_overdue' && COUNTED_DOWN.includes(domain.state));
  const isNews = ({ severity, code }: FindingWire) => severity !== 'note' && !isSaid(code);
  return domain.findings.find(isNews) ?? null;
}

/** 'Not valid for this name'; of addresses that differ only in age, how many are behind. */
export function shortFindingLine({ code, message }: FindingWire): string {
  const behind = code === 'certificates_differ' && /^(\d+ of \d+ addresses) still/.exec(message);
  return behind ? `${behind[1]}: old certificate` : (SHORT_LINES[code] ?? message);
}
