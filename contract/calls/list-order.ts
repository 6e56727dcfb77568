/** Orders of lists. They are not in `words.ts`, because the login page loads that file and needs none of them. */

export const SORT_DIRECTIONS = ['asc', 'desc'] as const;
export type SortDirection = (typeof SORT_DIRECTIONS)[number];

/**
 * Orders of the list of certificates: by expiry, by name, by issuer as `issuerLine` shows it, or by the number of domains.
 * The list of domains uses the names `soonest` and `name` for the same orders.
 */
export const CERTIFICATE_SORTS = ['soonest', 'name', 'issuer', 'domains'] as const;
export type CertificateSort = (typeof CERTIFICATE_SORTS)[number];

/** Returns the default direction of an order: descending for `newest` and `domains`, else ascending. */
export function naturalDirection(sort: string): SortDirection {
  return sort === 'newest' || sort === 'domains' ? 'desc' : 'asc';
}
