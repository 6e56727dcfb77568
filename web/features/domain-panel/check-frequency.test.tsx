import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import type { PublicConfig } from '../../../contract/public-config.ts';
import { CHECK_FREQUENCIES } from '../../../contract/words.ts';
import { exampleDomain } from '../../../tests/kit/pages/example-domain.ts';
import { spec } from '../../../tests/spec/spec.ts';
import { SubscriptionContext } from '../../lib/account/plan.ts';
import { PublicConfigContext } from '../../lib/public-config.ts';
import { CheckFrequency } from './check-frequency.tsx';

const HINT = 'Upgrade to premium to customize check frequency.';

/** Returns the options as `label: locked` or `label: open`, and the whole section. */
function optionsFor(isSubscribed: boolean) {
  const plan = { isSubscribed, expiresAt: null, loading: false, refetch: async () => undefined };
  const html = renderToStaticMarkup(
    <QueryClientProvider client={new QueryClient()}>
      <PublicConfigContext value={{ billing: { mode: 'test' } } as PublicConfig}>
        <SubscriptionContext value={plan}>
          <CheckFrequency domain={exampleDomain({ check_every_minutes: 1440 })} />
        </SubscriptionContext>
      </PublicConfigContext>
    </QueryClientProvider>,
  );
  const options = html.split('<button').slice(1);
  return {
    html,
    locked: CHECK_FREQUENCIES.filter((_, index) => options[index]?.includes('aria-disabled="true"')).map(
      ({ minutes }) => minutes,
    ),
    labels: options.map(
      (option) => CHECK_FREQUENCIES.find(({ label }) => option.includes(`>${label}<`))?.minutes,
    ),
  };
}

it('Free can only choose daily checks and reads why, and Premium can choose 15 minutes and hourly', () => {
  const free = optionsFor(false);
  expect(free.labels).toEqual([10, 15, 60, 1440]);
  expect(free.locked).toEqual([10, 15, 60]);
  spec('5.15', 'Frequencies of Premium are disabled on Free');
  expect(free.html).toContain(HINT);
  spec('5.16', 'Free reads why they are disabled');
  const premium = optionsFor(true);
  expect(premium.labels).toEqual([10, 15, 60, 1440]);
  expect(premium.locked).toEqual([]);
  expect(premium.html).not.toContain(HINT);
  expect(premium.html).not.toMatch(/Premium|Free/);
  spec('3.19', 'Free checks daily; Premium every 15 minutes or hourly too');
  spec('6.07', 'Premium checks every 15 minutes or hourly');
});
