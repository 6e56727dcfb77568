import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import type { DomainSort } from '../../../../contract/words.ts';
import { ALL_IDS } from '../../../domain/domain-cache.ts';
import { DomainGroups } from './domain-groups.tsx';

// The server's answer for the order 'worst': one of the 40 domains with a valid certificate is not trusted.
const GROUPS = [
  { key: 'expired', total: 1, attention: 1, worst: 'expired' },
  { key: 'ok', total: 40, attention: 1, worst: 'untrusted' },
  { key: 'critical', total: 2, attention: 2, worst: 'critical' },
  { key: 'soon', total: 1, attention: 1, worst: 'soon' },
  { key: 'paused', total: 1, attention: 0, worst: null },
];
const NAMES = ['Expired', 'More than 14 days left', '0–7 days left', '8–14 days left', 'Paused'];

it.each<[DomainSort, string | undefined, string[]]>([
  ['newest', undefined, [0, 2, 3, 1, 4].map((place) => NAMES[place] ?? '')],
  ['worst', 'worst', NAMES],
])(
  'groups by state have the order of the filters, or of their worst domains if that is the order of the list: %s',
  (sort, sent, names) => {
    const client = new QueryClient();
    client.setQueryData([...ALL_IDS, 'groups', 'state', {}, sent], GROUPS);
    const html = renderToStaticMarkup(
      <QueryClientProvider client={client}>
        <DomainGroups by="state" filter={{ sort }} onChange={() => undefined}>
          {null}
        </DomainGroups>
      </QueryClientProvider>,
    );
    // The count has the colour of the worst reason.
    expect(html).toMatch(/text-soon-fg[^>]*><svg.*?1<span/);
    expect([...html.matchAll(/title="([^"]*)"/g)].map(([, name]) => name)).toEqual(names);
  },
);
