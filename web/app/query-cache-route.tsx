import { QueryClientProvider } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { useState } from 'react';
import { createQueryClient } from '../lib/query-client.ts';

/** Provides the cache of reads to the pages below. It ends with them, so a login starts with an empty one. */
export function QueryCacheRoute() {
  const [queryClient] = useState(createQueryClient);
  return (
    <QueryClientProvider client={queryClient}>
      <Outlet />
    </QueryClientProvider>
  );
}
