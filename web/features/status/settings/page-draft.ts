import {
  pageAddressSchema,
  previewStatusPageSchema,
  type StatusPageChange,
  type StatusPageChoices,
  type StatusPageWire,
} from '../../../../contract/status-page.ts';

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

/** Returns the saved choices that replace those of the draft because `sent` could not be saved. Names of domains stay as they were typed. */
export const switchesOf = (
  saved: PageDraft,
  sent: StatusPageChange,
  draft: PageDraft,
): Partial<PageDraft> => ({
  ...(sent.listed !== undefined && { listed: saved.listed }),
  ...(sent.show_certificates !== undefined && { showCertificates: saved.showCertificates }),
  ...(sent.show_uptime !== undefined && { showUptime: saved.showUptime }),
  ...(sent.show_incidents !== undefined && { showIncidents: saved.showIncidents }),
  ...(sent.shows !== undefined && {
    shows: saved.shows,
    tags: saved.tags,
    domains: saved.domains.map((one) => ({ ...one, label: labelsOf(draft).get(one.id) ?? one.label })),
  }),
});

/** Returns the draft's choice of domains with their saved names, because only the button saves names that were typed. */
export function whichOf(draft: PageDraft, saved: PageDraft) {
  const domains = draft.domains.map(({ id }) => ({ id, label: labelsOf(saved).get(id) ?? '' }));
  return { shows: draft.shows, tags: draft.tags, domains } satisfies StatusPageChange;
}

const labelsOf = ({ domains }: PageDraft) => new Map(domains.map(({ id, label }) => [id, label]));

/** Returns what the choice of domains lacks; null if it is complete. An incomplete choice is not saved, so it never empties the page. */
export function missingOf({ shows, tags, domains }: PageDraft): Pick<DraftErrors, 'tags' | 'domains'> | null {
  if (shows === 'tags' && tags.length === 0) return { tags: 'Choose at least one tag.' };
  if (shows === 'chosen' && domains.length === 0) return { domains: 'Add at least one domain.' };
  return null;
}

export function choicesOf(draft: PageDraft): StatusPageChoices {
  return {
    title: draft.title.trim(),
    shows: draft.shows,
    tags: draft.tags,
    domains: draft.domains.map(({ id, label }) => ({ id, label: label.trim() })),
    show_certificates: draft.showCertificates,
    show_uptime: draft.showUptime,
    show_incidents: draft.showIncidents,
  };
}

export const changeOf = (draft: PageDraft): StatusPageChange => ({
  ...choicesOf(draft),
  slug: draft.slug.trim().toLowerCase(),
  listed: draft.listed,
});

export const isSame = (draft: PageDraft, saved: PageDraft): boolean =>
  JSON.stringify(changeOf(draft)) === JSON.stringify(changeOf(saved));

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
