import { QueryClientProvider } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { useState } from 'react';
import { createQueryClient } from '../lib/query-client.ts';

/** Provides the query cache to the pages below it. The cache is discarded when they unmount, so a login starts with an empty one. */
export function QueryCacheRoute() {
  const [queryClient] = useState(createQueryClient);
  return (
    <QueryClientProvider client={queryClient}>
      <Outlet />
    </QueryClientProvider>
  );
}
