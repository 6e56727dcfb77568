import { describe, expect, it } from 'vitest';
import { type AnalyticsPage, createAnalytics } from './analytics.ts';

function examplePage(differences: Partial<AnalyticsPage> = {}) {
  const scripts: string[] = [];
  const calls: unknown[][] = [];
  const page: AnalyticsPage = {
    asksForPrivacy: false,
    address: 'https://certlantern.example/dashboard',
    loadScript: (address) => scripts.push(address),
    enqueue: (call) => calls.push(Array.from(call)),
    ...differences,
  };
  return { page, scripts, calls };
}

const login = { name: 'login', email: 'alice@orchard.example', method: 'password' } as const;

describe('track', () => {
  it('does nothing without a measurement id', () => {
    const { page, scripts, calls } = examplePage();
    const { track, measureFor } = createAnalytics(page);
    track(login);
    measureFor(null);
    track(login);
    expect([scripts, calls]).toEqual([[], []]);
  });

  it('loads the script once, at the first event', () => {
    const { page, scripts } = examplePage();
    const { track, measureFor } = createAnalytics(page);
    measureFor('G-ABC123');
    expect(scripts).toEqual([]);
    track(login);
    track(login);
    expect(scripts).toEqual(['https://www.googletagmanager.com/gtag/js?id=G-ABC123']);
  });

  it("sends the event's fields, and the URL without query and fragment", () => {
    const { page, calls } = examplePage();
    const { track, measureFor } = createAnalytics(page);
    measureFor('G-ABC123');
    track({ name: 'purchase', currency: 'USD', value: 4.99, transaction_id: 'txn_1' });
    expect(calls.map(([command]) => command)).toEqual(['js', 'config', 'event']);
    expect(calls[1]).toMatchObject(['config', 'G-ABC123', { send_page_view: false }]);
    expect(calls[2]).toEqual([
      'event',
      'purchase',
      {
        currency: 'USD',
        value: 4.99,
        transaction_id: 'txn_1',
        send_to: 'G-ABC123',
        page_location: 'https://certlantern.example/dashboard',
      },
    ]);
  });

  it('loads and sends nothing if the browser asks for privacy', () => {
    const { page, scripts, calls } = examplePage({ asksForPrivacy: true });
    const { track, measureFor } = createAnalytics(page);
    measureFor('G-ABC123');
    track(login);
    expect([scripts, calls]).toEqual([[], []]);
  });
});
