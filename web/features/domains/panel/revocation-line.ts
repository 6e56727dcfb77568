import type { DomainWire } from '../../../../contract/domain.ts';
import { longDate } from '../../../lib/dates.ts';

const SOURCES = {
  crl: 'its revocation list (CRL)',
  ocsp: 'its answer (OCSP)',
  staple: 'a stapled answer (OCSP)',
};

/** What is known about revocation, by whom and since when; what could not be determined is never called good. */
export function revocationLine({
  state,
  source,
  checked_at: checkedAt,
}: Pick<DomainWire['revocation'], 'state' | 'source' | 'checked_at'>): string {
  const evidence = `${source ? `, says ${SOURCES[source]}` : ''}${checkedAt ? ` of ${longDate(checkedAt)}` : ''}`;
  const lines: Record<typeof state, string> = {
    good: `Not revoked${evidence}`,
    revoked: `Revoked by the authority${evidence}`,
    not_applicable: 'Not needed: the certificate lives too short to be revoked',
    unavailable: 'Revocation could not be determined: the authority did not answer',
    unknown: 'Revocation could not be determined yet',
  };
  return lines[state];
}
