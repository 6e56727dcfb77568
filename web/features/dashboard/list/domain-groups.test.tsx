import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import type { DomainSort } from '../../../../contract/words.ts';
import { ALL_IDS } from '../../../domain/domain-cache.ts';
import { DomainGroups } from './domain-groups.tsx';

const GROUPS = [
  { key: 'ok', total: 40, attention: 1 },
  { key: 'critical', total: 2, attention: 2 },
  { key: 'paused', total: 1, attention: 0 },
  { key: 'expired', total: 1, attention: 1 },
];

it.each<[DomainSort, string | undefined]>([
  ['newest', undefined],
  ['worst', 'worst'],
])(
  'groups by state come in the order of urgency of the states, also if the list is sorted by %s',
  (sort, sent) => {
    const client = new QueryClient();
    client.setQueryData([...ALL_IDS, 'groups', 'state', {}, sent], GROUPS);
    const html = renderToStaticMarkup(
      <QueryClientProvider client={client}>
        <DomainGroups by="state" filter={{ sort }} onChange={() => undefined}>
          {null}
        </DomainGroups>
      </QueryClientProvider>,
    );
    expect([...html.matchAll(/title="([^"]*)"/g)].map(([, name]) => name)).toEqual([
      'Expired',
      '0–7 days left',
      'More than 14 days left',
      'Paused',
    ]);
  },
);
