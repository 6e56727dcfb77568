import { expect, it } from 'vitest';
import type { StatusPageWire } from '../../../../contract/status-page.ts';
import {
  changeOf,
  draftOf,
  errorsOf,
  isSame,
  missingOf,
  suggestedAddress,
  switchesOf,
  whichOf,
} from './page-draft.ts';

const page: StatusPageWire = {
  slug: 'fjord',
  url: 'https://c.example/status/fjord',
  enabled: true,
  listed: false,
  title: 'Fjord',
  shows: 'chosen',
  tags: ['shop'],
  show_certificates: true,
  show_uptime: false,
  show_incidents: true,
  domains: [{ id: '5f6a3c1e-9d1b-4f0e-8a55-0c9f3f7f2b11', display_name: 'shop.example', label: 'Shop' }],
};

it('an unchanged draft of a status page sends the same settings back', () => {
  const { url: _, enabled: __, ...same } = page;
  expect(changeOf(draftOf(page))).toEqual({
    ...same,
    domains: [{ id: '5f6a3c1e-9d1b-4f0e-8a55-0c9f3f7f2b11', label: 'Shop' }],
  });
});

it('a draft of a status page differs if a setting changed, but not if only spaces were added', () => {
  const saved = draftOf(page);
  expect(isSame({ ...saved, title: ' Fjord ' }, saved)).toBe(true);
  expect(isSame({ ...saved, showUptime: true }, saved)).toBe(false);
});

it('a draft of a status page reports missing and malformed fields', () => {
  const draft = draftOf({ ...page, title: '', slug: null });
  expect(errorsOf(draft)).toEqual({ title: 'Enter a title', slug: 'Enter an address' });
  expect(errorsOf({ ...draft, title: 'T', slug: 'a b c' }).slug).toMatch(/letters, digits/);
  expect(errorsOf(draftOf(page))).toEqual({});
});

it('a draft of a status page that shows tags or chosen domains is incomplete without any', () => {
  const none = { ...page, tags: [], domains: [] };
  expect(errorsOf(draftOf({ ...none, shows: 'tags' }))).toEqual({ tags: 'Choose at least one tag.' });
  expect(errorsOf(draftOf({ ...none, shows: 'chosen' }))).toEqual({ domains: 'Add at least one domain.' });
  expect(missingOf(draftOf({ ...none, shows: 'all' }))).toBeNull();
});

it('the choice of domains is saved without names that were typed meanwhile', () => {
  const saved = draftOf(page);
  const [shop] = saved.domains;
  const mail = { id: 'b2', name: 'mail.example', label: 'typed' };
  const domains = [mail, { ...shop!, label: 'typed' }];
  expect(whichOf({ ...saved, domains }, saved)).toEqual({
    shows: 'chosen',
    tags: ['shop'],
    domains: [
      { id: 'b2', label: '' },
      { id: shop!.id, label: 'Shop' },
    ],
  });
});

it('a choice of domains that could not be saved is set back without losing names that were typed', () => {
  const saved = draftOf(page);
  const draft = { ...saved, domains: saved.domains.map((one) => ({ ...one, label: 'typed' })) };
  const failed = whichOf({ ...draft, shows: 'all', tags: [] }, saved);
  expect(switchesOf(saved, failed, draft)).toEqual({
    shows: saved.shows,
    tags: saved.tags,
    domains: draft.domains,
  });
});

it('a draft of a status page reports lists that are too long', () => {
  const tags = Array.from({ length: 21 }, (_, index) => `tag ${index}`);
  expect(errorsOf({ ...draftOf(page), tags })).toEqual({ tags: 'Choose at most 20 tags' });
});

it.each([
  ['Fjord Systems', 'fjord-systems'],
  ['Ålesund & Bücher GmbH', 'alesund-bucher-gmbh'],
  ['証明書', ''],
  [`${'a'.repeat(39)} b`, 'a'.repeat(39)],
])('suggestedAddress returns for %s: %j', (title, slug) => expect(suggestedAddress(title)).toBe(slug));
