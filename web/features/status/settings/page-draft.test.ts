import { expect, it } from 'vitest';
import type { StatusPageWire } from '../../../../contract/status-page.ts';
import {
  changeBetween,
  domainChoiceOf,
  draftOf,
  editOf,
  errorsOf,
  isSame,
  missingOf,
  overlapErrors,
  type PageDraft,
  type PageEdit,
  rebasedEdit,
  stepTo,
  suggestedAddress,
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

it('a draft of a status page sends only the fields that differ from the saved page', () => {
  const saved = draftOf(page);
  expect(changeBetween(saved, saved)).toEqual({});
  const domains = saved.domains.map((one) => ({ ...one, label: ' Store ' }));
  expect(
    changeBetween(saved, { ...saved, title: ' Fjord ', slug: 'FJORD', domains, showUptime: true }),
  ).toEqual({
    domains: [{ id: '5f6a3c1e-9d1b-4f0e-8a55-0c9f3f7f2b11', label: 'Store' }],
    show_uptime: true,
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

it('a draft of a status page that shows tags or chosen domains is incomplete if none is chosen', () => {
  const none = { ...page, tags: [], domains: [] };
  expect(errorsOf(draftOf({ ...none, shows: 'tags' }))).toEqual({ tags: 'Choose at least one tag.' });
  expect(errorsOf(draftOf({ ...none, shows: 'chosen' }))).toEqual({ domains: 'Add at least one domain.' });
  expect(missingOf(draftOf({ ...none, shows: 'all' }))).toBeNull();
});

const SAVED = draftOf({
  ...page,
  domains: ['a', 'b', 'c'].map((id) => ({ id, display_name: `${id}.example`, label: '' })),
});
const START: PageEdit = { saved: SAVED, awaited: SAVED, draft: SAVED };
const show = (edit: PageEdit, part: Partial<PageDraft>): PageEdit => ({
  ...edit,
  draft: { ...edit.draft, ...part },
});
const remove = (edit: PageEdit, id: string) =>
  show(edit, { domains: edit.draft.domains.filter((one) => one.id !== id) });
const name = (edit: PageEdit, id: string, label: string) =>
  show(edit, { domains: edit.draft.domains.map((one) => (one.id === id ? { ...one, label } : one)) });
/** Sends the current choice of domains. */
function choose(edit: PageEdit) {
  const step = stepTo(domainChoiceOf(edit), edit);
  return { step, edit: { ...edit, awaited: { ...edit.awaited, ...step.after } } };
}
/** Sends the typed texts, as the button does. */
function save(edit: PageEdit) {
  const step = stepTo(edit.draft, edit);
  return { step, edit: { ...edit, awaited: { ...edit.awaited, ...step.after } } };
}
const namesOf = ({ domains }: PageDraft) => domains.map(({ id, label }) => `${id} ${label}`.trim());

it('the choice of domains is sent with names that are being saved, but without those that were only typed', () => {
  const saving = save(name(START, 'a', 'Saved')).edit;
  const { before, after } = choose(remove(name(saving, 'b', 'typed'), 'c')).step;
  expect(before.domains?.map(({ label }) => label)).toEqual(['Saved', '', '']);
  expect(after.domains?.map(({ label }) => label)).toEqual(['Saved', '']);
});

it('a failed choice of domains is undone, but keeps what a later choice in the queue has changed', () => {
  const first = choose(remove(START, 'a'));
  const second = choose(remove(name(first.edit, 'b', 'typed'), 'c'));
  const after = rebasedEdit(second.edit, SAVED, first.step);
  expect(namesOf(after.draft)).toEqual(['a', 'b typed']);
  expect(namesOf(after.awaited)).toEqual(['a', 'b']);
  expect(after.overlaps).toEqual([]);
  // The second choice is saved on top of a page without the first choice.
  const saved = { ...SAVED, domains: SAVED.domains.slice(0, 2) };
  expect(namesOf(rebasedEdit(after, saved, second.step).draft)).toEqual(['a', 'b typed']);
});

it('if saving a typed name fails, the name stays in its field when the next change of the domains is saved', () => {
  const saving = save(name(START, 'a', 'Name'));
  const choice = choose(remove(saving.edit, 'c'));
  const failed = rebasedEdit(choice.edit, SAVED, { ...saving.step, keepsDraft: true });
  const saved = { ...SAVED, domains: SAVED.domains.slice(0, 2) };
  const after = rebasedEdit(failed, saved, choice.step);
  expect(namesOf(after.draft)).toEqual(['a Name', 'b']);
  expect(namesOf(after.awaited)).toEqual(['a', 'b']);
});

it('a switch keeps its last position while an earlier click is being saved', () => {
  const flipped = show(START, { showUptime: true });
  const edit = { ...flipped, awaited: { ...SAVED, showUptime: true } };
  const first = stepTo({ showUptime: true }, START);
  const again = show(edit, { showUptime: false });
  expect(rebasedEdit(again, { ...SAVED, showUptime: true }, first).draft.showUptime).toBe(false);
});

it('the settings show what another tab saved, and an error at a text that was typed meanwhile', () => {
  const edit = name({ ...START, draft: { ...SAVED, title: 'Mine' } }, 'a', 'mine');
  const newest = {
    ...SAVED,
    title: 'Theirs',
    listed: true,
    domains: SAVED.domains.map((one) => (one.id === 'a' ? { ...one, label: 'theirs' } : one)),
  };
  const { draft, overlaps } = rebasedEdit(edit, newest, { before: {}, after: {} });
  expect(draft).toMatchObject({ title: 'Mine', listed: true });
  expect(namesOf(draft)).toEqual(['a mine', 'b', 'c']);
  expect(overlapErrors(overlaps, draft)).toEqual({
    title: 'Another tab or device saved “Theirs” meanwhile. Save again to replace it.',
    domains: 'a.example: Another tab or device saved “theirs” meanwhile. Save again to replace it.',
  });
});

it('the settings show the page as it is saved', () => {
  expect(editOf(page)).toEqual({ saved: draftOf(page), awaited: draftOf(page), draft: draftOf(page) });
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
