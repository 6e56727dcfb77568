import type { DomainWire, FindingWire } from '../../../contract/domain.ts';

/** The few words that stand on a card; whatever is not listed is said with the finding's own sentence. */
const SHORT_LINES: Record<string, string> = {
  not_yet_valid: 'Not valid yet',
  name_mismatch: 'Not valid for this name',
  self_signed: 'Not trusted: self-signed',
  untrusted_root: 'Not trusted: unknown authority',
  incomplete_chain: 'Not trusted: the chain is incomplete',
  intermediate_expired: 'Not trusted: an intermediate has expired',
  path_invalid: 'Not trusted: the chain is not valid',
  malformed_certificate: 'The certificate is malformed',
  weak_key: 'The key is too weak',
  weak_signature: 'The signature is too weak',
  legacy_tls: 'Only old TLS versions are offered',
  certificates_differ: 'Addresses serve different certificates',
  address_unreachable: 'Not every address can be reached',
};

/**
 * The finding to put on the card: the first that is more than a note. `expired` is left out, because the badge
 * says it already.
 */
export function worstFinding(domain: DomainWire): FindingWire | null {
  return domain.findings.find((finding) => finding.severity !== 'note' && finding.code !== 'expired') ?? null;
}

/** 'Not valid for this name' */
export function shortFindingLine(finding: FindingWire): string {
  return SHORT_LINES[finding.code] ?? finding.message;
}
