import { QueryClientProvider } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useFontSync } from '../lib/font.ts';
import { useThemeSync } from '../lib/theme.ts';
import type { createAppRouter } from './router.tsx';

interface ProvidersProps {
  queryClient: QueryClient;
  router: ReturnType<typeof createAppRouter>;
}

/** Everything that outlives a change of page. */
export function Providers({ queryClient, router }: ProvidersProps) {
  useThemeSync();
  useFontSync();
  return (
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  );
}
