import { QueryClient } from '@tanstack/react-query';
import { createMemoryHistory } from '@tanstack/react-router';
import { expect, it } from 'vitest';
import { PAGE_PATHS, STATUS_ROUTE } from '../../contract/pages.ts';
import { createAppRouter } from './router.tsx';

it('the page router and the server know the same addresses', () => {
  const router = createAppRouter({ queryClient: new QueryClient() }, { history: createMemoryHistory() });
  expect(Object.keys(router.routesByPath).toSorted()).toEqual([...PAGE_PATHS, STATUS_ROUTE].toSorted());
});
