import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { EXAMPLE_NOW, exampleDomain } from '../../tests/kit/pages/example-domain.ts';
import type { DomainWire } from '../../contract/domain.ts';
import { DAY_MS } from '../../contract/durations.ts';
import { RemainingTime } from './remaining-time.tsx';

const revoked = { state: 'revoked', is_revoked: true } as const;
const paused = { state: 'paused', paused: 'user' } as const;
const soon = { expiry_date: new Date(EXAMPLE_NOW + 5 * DAY_MS).toISOString() };

it.each<[Partial<DomainWire>, string, string]>([
  [{}, '32 days left', '32 days left'],
  [soon, 'Expiring in 5 days', 'Expiring in 5d'],
  [revoked, '', ''],
  // The specification wants the badge whatever else is wrong.
  [{ ...revoked, ...soon }, 'Expiring in 5 days', 'Expiring in 5d'],
  [paused, '32 days left', 'Paused'],
  [{ ...revoked, ...paused }, '', 'Paused'],
])('of a domain with %o a card shows “%s” and a row “%s”', (differences, card, row) => {
  const text = (short: boolean) =>
    renderToStaticMarkup(
      <RemainingTime domain={exampleDomain(differences)} now={EXAMPLE_NOW} short={short} />,
    ).replaceAll(/<[^>]*>/g, '');
  expect([text(false), text(true)]).toEqual([card, row]);
});
