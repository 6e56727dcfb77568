import type { DomainWire } from '../../contract/domain.ts';
import { longDate } from '../lib/dates.ts';
import { visibleText } from './visible-text.ts';

const SOURCES = {
  crl: 'the authority’s list (CRL)',
  ocsp: 'the authority’s responder (OCSP)',
  staple: 'the answer that the server staples (OCSP)',
};

// RFC 5280 §5.3.1, where they are written in one word.
const REASONS: Record<string, string> = {
  cACompromise: 'compromise of its CA',
  aACompromise: 'compromise of an attribute authority',
  unspecified: 'no reason given',
};

/** 'key compromise' for 'keyCompromise'. */
export function reasonWords(reason: string): string {
  return (
    REASONS[reason] ??
    visibleText(reason).replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  );
}

/** Of a certificate that names nobody to ask, or has no issuer with whose key an answer could be verified. */
export const NAMES_NOBODY = 'Not known: it names no list and no responder whose answer would count';

/** What is known about revocation, by whom and since when; what could not be determined is never called good. */
export function revocationLine({
  state,
  source,
  checked_at: checkedAt,
  reason,
  revoked_at: revokedAt,
}: DomainWire['revocation']): string {
  const evidence = `${source ? `, says ${SOURCES[source]}` : ''}${checkedAt ? ` of ${longDate(checkedAt)}` : ''}`;
  const when = revokedAt ? ` on ${longDate(revokedAt)}` : ' by its authority';
  const why = reason ? ` (${reasonWords(reason)})` : '';
  const lines: Record<typeof state, string> = {
    good: `Not revoked${evidence}`,
    revoked: `Revoked${when}${why}${evidence}`,
    not_applicable:
      'Not needed: it lives too short to be revoked, or says that nobody publishes revocations for it',
    unavailable: 'Could not be determined: no source gave an answer that counts',
    unknown: 'Could not be determined yet',
  };
  return lines[state];
}
