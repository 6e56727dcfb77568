import type { DomainWire } from '../../../contract/domain.ts';
import { visibleText } from '../visible-text.ts';
import { longDate } from '../../lib/format.ts';

const SOURCES = {
  crl: 'CRL',
  ocsp: 'OCSP',
  staple: 'stapled OCSP',
};

// Reasons that RFC 5280 §5.3.1 writes as one word, in separate words.
const REASONS: Record<string, string> = {
  cACompromise: 'compromise of its CA',
  aACompromise: 'compromise of an attribute authority',
  unspecified: 'no reason given',
};

/** Returns 'key compromise' for 'keyCompromise'. */
export function reasonWords(reason: string): string {
  return (
    REASONS[reason] ??
    visibleText(reason).replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  );
}

/**
 * Returns the revocation state with its source and date. A state that could not be determined is never called good. `hasSource` is
 * false for a certificate that names no CRL or OCSP responder, or whose issuer's key is unknown, so that no answer can be verified.
 */
export function revocationLine(
  { state, source, checked_at: checkedAt, reason, revoked_at: revokedAt }: DomainWire['revocation'],
  hasSource = true,
): string {
  const evidence = [source && SOURCES[source], checkedAt && longDate(checkedAt)].filter(Boolean).join(', ');
  const shown = evidence === '' ? '' : ` (${evidence})`;
  const when = revokedAt ? ` on ${longDate(revokedAt)}` : ' by its authority';
  const why = reason ? `: ${reasonWords(reason)}` : '';
  const lines: Record<typeof state, string> = {
    good: `Not revoked${shown}`,
    revoked: `Revoked${when}${why}${shown}`,
    not_applicable: 'Not applicable: short-lived, or issued without revocation',
    unavailable: 'Unknown: no source gave a valid answer',
    unknown: hasSource ? 'Not known yet' : 'Unknown: no CRL or OCSP responder we can verify',
  };
  return lines[state];
}
