import {
  pageAddressSchema,
  previewStatusPageSchema,
  type StatusPageChange,
  type StatusPageChoices,
  type StatusPageWire,
} from '../../../../contract/status-page.ts';
import { mergeChanges, type Overlap, pickFields, savedMeanwhileText } from '../../../lib/merge-changes.ts';

/** The status page with unsaved changes. */
export interface PageDraft {
  title: string;
  slug: string;
  listed: boolean;
  shows: StatusPageChoices['shows'];
  tags: string[];
  domains: { id: string; name: string; label: string }[];
  showCertificates: boolean;
  showUptime: boolean;
  showIncidents: boolean;
}

export function draftOf(page: StatusPageWire): PageDraft {
  return {
    title: page.title,
    slug: page.slug ?? '',
    listed: page.listed,
    shows: page.shows,
    tags: page.tags,
    domains: page.domains.map(({ id, display_name: name, label }) => ({ id, name, label })),
    showCertificates: page.show_certificates,
    showUptime: page.show_uptime,
    showIncidents: page.show_incidents,
  };
}

/** Three versions of the status page while its settings are edited. */
export interface PageEdit {
  /** The page as the server last answered. */
  saved: PageDraft;
  /** The page as it will be when all changes that were sent are saved. */
  awaited: PageDraft;
  /** The page as the form shows it, with typed texts and incomplete choices. */
  draft: PageDraft;
}

/** A change that was sent: the values before and after it. */
export interface PageStep {
  before: Partial<PageDraft>;
  after: Partial<PageDraft>;
}

export function editOf(page: StatusPageWire): PageEdit {
  const saved = draftOf(page);
  return { saved, awaited: saved, draft: saved };
}

/** Returns the step that changes the awaited page to these values. */
export const stepTo = (after: Partial<PageDraft>, { awaited }: PageEdit): PageStep => ({
  before: pickFields(after, awaited),
  after,
});

/**
 * Updates the edit after the answer to a step. `newest` is the page that the answer contains. Fields that the step changed take the newest
 * value, unless they were changed again or `keepsDraft` is set. `overlaps` lists typed values for which another tab saved a different value.
 */
export function rebasedEdit(
  { saved, awaited, draft }: PageEdit,
  newest: PageDraft,
  { before, after, keepsDraft = false }: PageStep & { keepsDraft?: boolean },
): PageEdit & { overlaps: Overlap[] } {
  const sent = mergeChanges(before, after, saved).merged;
  const shown = mergeChanges(keepsDraft ? saved : sent, draft, newest);
  return {
    saved: newest,
    awaited: mergeChanges(sent, awaited, newest).merged,
    draft: shown.merged,
    overlaps: shown.overlaps,
  };
}

/** Returns the choice of domains as it can be sent. Leaves out names that were only typed, because only the button saves names. */
export function domainChoiceOf({ draft, awaited }: PageEdit) {
  const labels = new Map(awaited.domains.map(({ id, label }) => [id, label]));
  const domains = draft.domains.map((one) => ({ ...one, label: labels.get(one.id) ?? '' }));
  return { shows: draft.shows, tags: draft.tags, domains } satisfies Partial<PageDraft>;
}

/**
 * Returns what is missing in the choice of domains; null if it is complete. An incomplete choice is not saved, so the page
 * never becomes empty by accident.
 */
export function missingOf({ shows, tags, domains }: PageDraft): Pick<DraftErrors, 'tags' | 'domains'> | null {
  if (shows === 'tags' && tags.length === 0) return { tags: 'Choose at least one tag.' };
  if (shows === 'chosen' && domains.length === 0) return { domains: 'Add at least one domain.' };
  return null;
}

/** Returns the draft with its texts normalised in the same way as the server does. */
export const normalisedDraft = (draft: PageDraft): PageDraft => ({
  ...draft,
  title: draft.title.trim(),
  slug: draft.slug.trim().toLowerCase(),
  domains: draft.domains.map((one) => ({ ...one, label: one.label.trim() })),
});

export function choicesOf(draft: PageDraft): StatusPageChoices {
  const { title, shows, tags, domains, showCertificates, showUptime, showIncidents } = normalisedDraft(draft);
  return {
    title,
    shows,
    tags,
    domains: domains.map(({ id, label }) => ({ id, label })),
    show_certificates: showCertificates,
    show_uptime: showUptime,
    show_incidents: showIncidents,
  };
}

const changeOf = (draft: PageDraft): StatusPageChange => ({
  ...choicesOf(draft),
  slug: normalisedDraft(draft).slug,
  listed: draft.listed,
});

/** Returns the fields in which two versions of the page differ, with the values of `draft`. */
export function changeBetween(saved: PageDraft, draft: PageDraft): StatusPageChange {
  const former = new Map<string, unknown>(Object.entries(changeOf(saved)));
  return Object.fromEntries(
    Object.entries(changeOf(draft)).filter(
      ([field, value]) => JSON.stringify(value) !== JSON.stringify(former.get(field)),
    ),
  );
}

export const isSame = (draft: PageDraft, saved: PageDraft): boolean =>
  Object.keys(changeBetween(saved, draft)).length === 0;

/** Errors in the draft. */
export interface DraftErrors {
  title?: string | undefined;
  slug?: string | undefined;
  tags?: string | undefined;
  domains?: string | undefined;
}

export function errorsOf(draft: PageDraft): DraftErrors {
  const { title, tags, domains } = previewStatusPageSchema.shape;
  const slug = pageAddressSchema.safeParse(draft.slug);
  const found = {
    title: title.safeParse(draft.title),
    tags: tags.safeParse(draft.tags),
    domains: domains.safeParse(draft.domains),
  };
  return {
    ...(!found.title.success && { title: found.title.error.issues[0]?.message }),
    ...(!slug.success && {
      slug: draft.slug === '' ? 'Enter an address' : slug.error.issues[0]?.message,
    }),
    ...(!found.tags.success && { tags: found.tags.error.issues[0]?.message }),
    ...(!found.domains.success && { domains: found.domains.error.issues[0]?.message }),
    ...missingOf(draft),
  };
}

const LABEL_PATH = /^domains (\S+) label$/;

/** Returns an error for each typed text that another tab or device saved differently meanwhile. */
export function overlapErrors(overlaps: readonly Overlap[], { domains }: PageDraft): DraftErrors {
  const errors: DraftErrors = {};
  for (const overlap of overlaps) {
    const { path } = overlap;
    const named = domains.find(({ id }) => id === LABEL_PATH.exec(path)?.[1])?.name;
    const message = savedMeanwhileText(overlap);
    if (path === 'title' || path === 'slug') errors[path] = message;
    else if (named !== undefined) errors.domains = `${named}: ${message}`;
  }
  return errors;
}

/** Suggests an address: the title in letters, digits and hyphens. */
export function suggestedAddress(title: string): string {
  return title
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-|-$/g, '');
}
