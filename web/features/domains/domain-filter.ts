import type { DomainFilter, DomainSort, DomainWire } from '../../../contract/domain.ts';
import { needsPerson } from '../../../contract/words.ts';

/** Which domains are listed, and in which order: what one cached list is a list of. */
export interface ListFilter extends DomainFilter {
  sort: DomainSort;
}

/** Whether every domain is in the list, whatever its order. */
export function isUnfiltered({ q, status, tag }: DomainFilter): boolean {
  return q === undefined && status === undefined && tag === undefined;
}

/** Whether the domain belongs in the list, as far as the page can tell. */
export function belongsTo({ q, status, tag }: DomainFilter, domain: DomainWire): boolean {
  if (status === 'problem' ? !needsPerson(factsOf(domain)) : status !== undefined && domain.state !== status)
    return false;
  if (tag !== undefined && !domain.tags.includes(tag)) return false;
  if (q === undefined) return true;
  const wanted = q.toLowerCase();
  return [domain.hostname, domain.display_name, domain.notes, ...domain.tags].some((text) =>
    text.toLowerCase().includes(wanted),
  );
}

const factsOf = ({ paused, unreachable, uptime, trusted, state }: DomainWire) => ({
  isPaused: paused !== null,
  isUnreachable: unreachable !== null,
  isDown: uptime.state === 'down',
  isTrusted: trusted,
  state,
});

/** Below 0 where `left` stands before `right` in that order; 0 where the server alone knows. */
export function compareIn(sort: DomainSort, left: DomainWire, right: DomainWire): number {
  if (sort === 'newest') return Date.parse(right.created_at) - Date.parse(left.created_at);
  if (sort === 'name') return left.hostname < right.hostname ? -1 : left.hostname > right.hostname ? 1 : 0;
  if (left.expiry_date === right.expiry_date) return 0;
  if (left.expiry_date === null) return 1;
  if (right.expiry_date === null) return -1;
  return Date.parse(left.expiry_date) - Date.parse(right.expiry_date);
}
