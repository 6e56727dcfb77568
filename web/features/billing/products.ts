import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { MINUTE_MS } from '../../../contract/durations.ts';
import { listProducts } from '../../../contract/calls/payment.ts';
import type { ProductWire } from '../../../contract/payment.ts';
import { call } from '../../lib/api-client.ts';
import { toast } from '../../ui/toast.tsx';

/**
 * Query for the product on offer: the first one of the list; null if nothing is sold. It stays fresh for 60 s, and is read
 * again when the window regains focus.
 */
export const productQuery = queryOptions({
  queryKey: ['products'],
  queryFn: ({ signal }) => call(listProducts, { signal }),
  select: ([first]): ProductWire | null => first ?? null,
  staleTime: MINUTE_MS,
  refetchOnWindowFocus: 'always',
});

/** Loads the product on offer once the offer opens. Shows a toast if that fails. */
export function useProduct(isOpen: boolean) {
  const product = useQuery({ ...productQuery, enabled: isOpen });
  const { isError, isFetching, errorUpdatedAt } = product;
  const failedAt = isError && !isFetching ? errorUpdatedAt : null;
  useEffect(() => {
    if (isOpen && failedAt !== null) toast.error('Failed to load payment products.');
  }, [isOpen, failedAt]);
  return product;
}
