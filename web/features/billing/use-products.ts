import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { toast } from '../../ui/toast.tsx';
import { fetchProducts } from './payment-calls.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';

/** What is sold, from the moment the offer is open: 60 s fresh, read again when the window regains focus. */
export function useProducts(isOpen: boolean) {
  const products = useQuery({
    queryKey: ['products'],
    queryFn: ({ signal }) => fetchProducts(signal),
    staleTime: MINUTE_MS,
    refetchOnWindowFocus: 'always',
    enabled: isOpen,
  });
  const { isError, isFetching, errorUpdatedAt } = products;
  const failedAt = isError && !isFetching ? errorUpdatedAt : null;
  useEffect(() => {
    if (isOpen && failedAt !== null) toast.error('Failed to load payment products.');
  }, [isOpen, failedAt]);
  return products;
}
