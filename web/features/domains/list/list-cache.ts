import type { InfiniteData } from '@tanstack/react-query';
import type { z } from 'zod';
import type { domainListSchema, DomainWire } from '../../../../contract/domain.ts';

export type DomainPage = z.infer<typeof domainListSchema>;
export type DomainPages = InfiniteData<DomainPage>;

/** Every loaded domain once, newest first: a page that was read later can repeat one that was pushed down. */
export function loadedDomains(pages: DomainPages): DomainWire[] {
  const byId = new Map<string, DomainWire>();
  for (const page of pages.pages)
    for (const domain of page.data) byId.set(domain.id, byId.get(domain.id) ?? domain);
  return [...byId.values()];
}

/** How many domains there are, loaded or not. */
export function totalDomains(pages: DomainPages): number {
  return pages.pages.at(-1)?.total ?? 0;
}

/** The list with `domain` in the place of its former self, or before all others if it was not there. */
export function withDomain(pages: DomainPages, domain: DomainWire): DomainPages {
  if (!loadedDomains(pages).some(({ id }) => id === domain.id)) return prepended(pages, domain);
  return mapPages(pages, (page) => ({
    ...page,
    data: page.data.map((former) => (former.id === domain.id ? domain : former)),
  }));
}

/**
 * As `withDomain`, for a report that came by itself: one that is older than everything loaded belongs to a page
 * that has not been asked for, and is left to it.
 */
export function withReportedDomain(pages: DomainPages, domain: DomainWire): DomainPages {
  const loaded = loadedDomains(pages);
  const isLoaded = loaded.some(({ id }) => id === domain.id);
  const isComplete = loaded.length >= totalDomains(pages);
  const oldest = loaded.at(-1);
  const isNewer = !oldest || Date.parse(domain.created_at) > Date.parse(oldest.created_at);
  return isLoaded || isComplete || isNewer ? withDomain(pages, domain) : pages;
}

/** The list without the domain; unchanged if it was not there. */
export function withoutDomain(pages: DomainPages, id: string): DomainPages {
  if (!loadedDomains(pages).some((domain) => domain.id === id)) return pages;
  return mapPages(pages, (page) => ({
    ...page,
    data: page.data.filter((domain) => domain.id !== id),
    total: page.total - 1,
  }));
}

function prepended(pages: DomainPages, domain: DomainWire): DomainPages {
  return mapPages(pages, (page, index) => ({
    ...page,
    data: index === 0 ? [domain, ...page.data] : page.data,
    total: page.total + 1,
  }));
}

function mapPages(pages: DomainPages, change: (page: DomainPage, index: number) => DomainPage): DomainPages {
  return { ...pages, pages: pages.pages.map(change) };
}
