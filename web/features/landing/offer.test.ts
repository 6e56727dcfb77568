import { expect, it } from 'vitest';
import { offerOf } from './offer.ts';

it('the landing page offers only what the deployment supports', () => {
  const paddle = { mode: 'paddle', client_token: 'live_1', environment: 'live' } as const;
  expect(offerOf({ billing: paddle, signups: 'open' })).toEqual({
    hasPlans: true,
    isSold: true,
    isOpen: true,
    hasTrial: true,
  });
  expect(offerOf({ billing: paddle, signups: 'closed' })).toMatchObject({
    isSold: true,
    isOpen: false,
    hasTrial: false,
  });
  expect(offerOf({ billing: { mode: 'unset' }, signups: 'open' })).toEqual({
    hasPlans: true,
    isSold: false,
    isOpen: true,
    hasTrial: false,
  });
  expect(offerOf({ billing: { mode: 'none' }, signups: 'open' })).toEqual({
    hasPlans: false,
    isSold: false,
    isOpen: true,
    hasTrial: false,
  });
});
