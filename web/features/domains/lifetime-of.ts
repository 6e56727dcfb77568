import type { DomainWire } from '../../../contract/domain.ts';
import type { Lifetime } from '../../ui/lifetime-geometry.ts';

/** What the lifetime bar draws; null while no certificate was read. */
export function lifetimeOf(domain: DomainWire): Lifetime | null {
  if (domain.valid_from === null || domain.expiry_date === null) return null;
  return {
    notBefore: Date.parse(domain.valid_from),
    notAfter: Date.parse(domain.expiry_date),
    renewalFrom: domain.renewal_from === null ? null : Date.parse(domain.renewal_from),
    revoked: domain.is_revoked,
  };
}
