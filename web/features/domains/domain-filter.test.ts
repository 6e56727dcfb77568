import { describe, expect, it } from 'vitest';
import { belongsTo, compareIn, isUnfiltered } from './domain-filter.ts';
import { exampleDomain } from './example-domain.ts';

describe('a filter', () => {
  const domain = exampleDomain({
    hostname: 'xn--bcher-kva.example',
    display_name: 'bücher.example',
    notes: 'Kept by the Shop team',
    tags: ['books'],
    state: 'soon',
  });

  it.each(['BÜCHER', 'xn--bcher', 'shop team', 'book'])('finds a domain by %s', (q) => {
    expect(belongsTo({ q }, domain)).toBe(true);
  });

  it('asks for all of its parts at once', () => {
    expect(belongsTo({ q: 'books', tag: 'books', status: 'soon' }, domain)).toBe(true);
    expect(belongsTo({ q: 'books', tag: 'book' }, domain)).toBe(false);
    expect(belongsTo({ status: 'ok' }, domain)).toBe(false);
    expect(belongsTo({ q: 'git' }, domain)).toBe(false);
  });

  it('finds what has a problem that no date and no badge tells', () => {
    const has = (differences: Parameters<typeof exampleDomain>[0]) =>
      belongsTo({ status: 'problem' }, exampleDomain(differences));
    const { uptime } = exampleDomain();
    expect(has({})).toBe(false);
    expect(has({ uptime: { ...uptime, state: 'down' } })).toBe(true);
    expect(has({ trusted: false })).toBe(true);
    expect(has({ trusted: false, state: 'expired' })).toBe(false);
    expect(has({ trusted: false, paused: 'user' })).toBe(false);
  });

  it('without parts is none', () => {
    expect(isUnfiltered({})).toBe(true);
    expect(isUnfiltered({ tag: 'books' })).toBe(false);
  });
});

describe('the order', () => {
  const early = exampleDomain({ hostname: 'a.example', created_at: '2026-01-01T00:00:00Z' });
  const late = exampleDomain({ hostname: 'b.example', created_at: '2026-02-01T00:00:00Z' });

  it('is newest first, by name or soonest first, with unknown dates last', () => {
    expect(compareIn('newest', late, early)).toBeLessThan(0);
    expect(compareIn('name', early, late)).toBeLessThan(0);
    const dated = exampleDomain({ expiry_date: '2026-12-01T00:00:00Z' });
    const undated = exampleDomain({ expiry_date: null });
    expect(compareIn('soonest', dated, undated)).toBeLessThan(0);
    expect(compareIn('soonest', undated, dated)).toBeGreaterThan(0);
    expect(compareIn('soonest', undated, undated)).toBe(0);
    expect(compareIn('soonest', dated, exampleDomain({ expiry_date: '2026-12-02T00:00:00Z' }))).toBeLessThan(
      0,
    );
  });
});
