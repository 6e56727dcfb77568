/** Orders of lists that only the pages with these lists and the API need, so that the login page does not load them. */

export const SORT_DIRECTIONS = ['asc', 'desc'] as const;
export type SortDirection = (typeof SORT_DIRECTIONS)[number];

/**
 * Orders of the list of certificates: by expiry, by name, or by the number of domains. Those that other
 * lists have too have the same names there.
 */
export const CERTIFICATE_SORTS = ['soonest', 'name', 'domains'] as const;
export type CertificateSort = (typeof CERTIFICATE_SORTS)[number];

/** Returns the direction of an order for which none is given: the newest domains and those of most domains first, else ascending. */
export function naturalDirection(sort: string): SortDirection {
  return sort === 'newest' || sort === 'domains' ? 'desc' : 'asc';
}
