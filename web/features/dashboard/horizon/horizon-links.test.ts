import { describe, expect, it } from 'vitest';
import type { SummaryWire } from '../../../../contract/domain.ts';
import { cardFrame } from '../../../ui/horizon/frames.ts';
import { layOutHorizon } from '../../../ui/horizon/horizon-layout.ts';
import { createTextMeasure } from '../../../ui/horizon/text-measure.ts';
import { horizonEntries } from './horizon-entries.ts';
import { horizonLinks } from './horizon-links.ts';
import { DAY_MS } from '../../../../contract/durations.ts';

const NOW = new Date(2026, 10, 20, 13, 0).getTime();
const measure = createTextMeasure({ mono: '', sans: '' }, (text) => text.length * 7);

type Expiry = SummaryWire['expiries'][number];
const expiry = (days: number, change: Partial<Expiry> = {}): Expiry => ({
  id: `id of ${days}`,
  hostname: 'xn--mgb.example',
  display_name: 'fjord.example',
  not_after: new Date(NOW + days * DAY_MS).toISOString(),
  valid_from: null,
  on_schedule: false,
  renewal_due_at: null,
  state: 'ok',
  count: 1,
  certificate_count: 1,
  fingerprint: null,
  ...change,
});

const linksOf = (expiries: Expiry[], span = 90) =>
  horizonLinks(
    layOutHorizon(
      cardFrame(1198, span, 4),
      { entries: horizonEntries({ expiries, problems: [] }, NOW, null), now: NOW },
      measure,
    ),
    NOW,
  );
const names = (expiries: Expiry[], span?: number) => linksOf(expiries, span).map(({ name }) => name);

describe('the links of the horizon', () => {
  it('name host and expiry, in the order of the dates', () => {
    expect(names([expiry(-3), expiry(1), expiry(41, { state: 'revoked' })])).toEqual([
      'fjord.example, expired on 17 November 2026',
      'fjord.example, expires on 21 November 2026, 24 hours left',
      'fjord.example, expires on 31 December 2026, revoked',
    ]);
  });

  it('say how many domains share a certificate, and open its page', () => {
    const [link] = linksOf([expiry(41, { count: 3, fingerprint: 'f00d' })]);
    expect(link).toMatchObject({
      name: 'fjord.example and 2 more domains with this certificate, expires on 31 December 2026, 41 days left',
      target: { kind: 'certificate', fingerprint: 'f00d' },
      pin: { label: 'fjord.example +2' },
    });
  });

  it("show the state as of now, even if the server's summary is older", () => {
    const [{ pin } = { pin: null }] = linksOf([expiry(2, { state: 'ok' })]);
    expect(pin?.entry.status).toBe('critical');
  });

  it('open the panel of a single domain; for several domains, the list filtered by that day', () => {
    const [one, many] = linksOf([expiry(20), expiry(40, { count: 30, certificate_count: 12 })]);
    expect(one?.target).toEqual({ kind: 'domain', id: 'id of 20' });
    expect(many).toMatchObject({
      name: '12 certificates expire on 30 December 2026',
      target: { kind: 'period', period: '2026-12-30..2026-12-30' },
    });
  });

  it('lead to the list or to a longer time span for certificates that do not fit', () => {
    const expired = [-9, -8, -7, -6, -5].map((days) => expiry(days));
    const links = linksOf([...expired, expiry(3), expiry(50)], 30);
    expect(links.map(({ key }) => key).slice(3)).toEqual([
      'id of -6',
      'more-expired',
      'id of 3',
      'id of 50',
      'later',
    ]);
    expect(links[4]).toMatchObject({
      name: '1 more expired: show all expired domains in the list',
      target: { kind: 'expired' },
    });
    expect(links.at(-1)).toMatchObject({
      name: '1 later: show 90 days',
      target: { kind: 'span', span: 90 },
    });
  });

  it('choose the shortest sufficient time span, at most a year', () => {
    expect(names([expiry(200)], 30).at(-1)).toBe('1 later: show 1 year');
    expect(names([expiry(3000)], 90).at(-1)).toBe('1 later: show 1 year');
    expect(names([expiry(3000)], 365)).toHaveLength(1);
  });
});
