import { useNavigate, useSearch } from '@tanstack/react-router';
import {
  CERTIFICATE_SORTS,
  type CertificateSort,
  SORT_DIRECTIONS,
  type SortDirection,
} from '../../../contract/calls/list-order.ts';
import type { ListStatus } from '../../../contract/words.ts';
import { oneOf } from '../../lib/search-parameters.ts';

/** The search parameters of the page as the router passes them on. */
export interface CertificatesAddress {
  q?: string;
  status?: ListStatus;
  order?: string;
  direction?: string;
  /** Fingerprint of the certificate whose own page is shown. */
  certificate?: string;
}

/** The filters by state that the page offers. Addresses with another one, such as older links, show all certificates. */
export const SHOWN_STATUSES = [
  'attention',
  'expired',
  'revoked',
  'critical',
  'soon',
  'renewal_fails',
] as const satisfies ListStatus[];
type ShownStatus = (typeof SHOWN_STATUSES)[number];

/** Search parameters of the list. They are in the URL, so that people can share a view. */
export interface CertificatesSearch {
  q?: string | undefined;
  status?: ShownStatus | undefined;
  order?: CertificateSort | undefined;
  direction?: SortDirection | undefined;
}

const readStatus = oneOf(SHOWN_STATUSES);
const readOrder = oneOf(CERTIFICATE_SORTS);
const readDirection = oneOf(SORT_DIRECTIONS);

/** Returns the parameters of the list, a function that merges a change into the address, and the certificate whose page is shown. */
export function useCertificatesSearch() {
  const { certificate, q, ...asked }: CertificatesAddress = useSearch({ strict: false });
  const status = readStatus(asked.status);
  const order = readOrder(asked.order);
  const direction = readDirection(asked.direction);
  const navigate = useNavigate();
  const search: CertificatesSearch = { q, status, order, direction };
  /** Undefined removes a parameter. */
  const change = (patch: CertificatesSearch) => {
    const next = Object.entries({ ...search, ...patch }).filter(([, value]) => value !== undefined);
    void navigate({
      to: '/certificates',
      search: Object.fromEntries(next) as CertificatesAddress,
      replace: true,
      resetScroll: false,
    });
  };
  return { search, change, certificate };
}
