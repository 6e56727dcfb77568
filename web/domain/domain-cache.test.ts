import { QueryClient } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import type { SummaryWire } from '../../contract/domain.ts';
import { createDomainCache, SUMMARY_KEY } from './domain-cache.ts';
import { exampleDomain } from '../../tests/kit/pages/example-domain.ts';

it.each(['pending', 'expired'] as const)(
  'an added domain counts as pending until the summary is refetched, even if its state is %s',
  (state) => {
    const queryClient = new QueryClient();
    const counts = { pending: 0, unread: 0, expired: 0, critical: 0, soon: 0, ok: 2, revoked: 0, paused: 0 };
    queryClient.setQueryData(SUMMARY_KEY, { total: 2, counts });
    createDomainCache(queryClient).put(exampleDomain({ state }));
    expect(queryClient.getQueryData<SummaryWire>(SUMMARY_KEY)).toEqual({
      total: 3,
      counts: { ...counts, pending: 1 },
    });
  },
);
