import type { z } from 'zod';
import type { domainListSchema, DomainWire } from '../../contract/domain.ts';

export type DomainPage = z.infer<typeof domainListSchema>;

/** The loaded pages of one list, by number. There may be gaps. */
export type LoadedPages = ReadonlyMap<number, DomainPage>;

/** Returns every loaded domain once, in list order: a page that was read later can repeat a domain that moved down. */
export function loadedDomains(pages: LoadedPages): DomainWire[] {
  const byId = new Map<string, DomainWire>();
  for (const [, { data }] of inOrder(pages))
    for (const domain of data) if (!byId.has(domain.id)) byId.set(domain.id, domain);
  return [...byId.values()];
}

export function findDomain(pages: LoadedPages, id: string): DomainWire | undefined {
  for (const { data } of pages.values()) {
    const found = data.find((domain) => domain.id === id);
    if (found) return found;
  }
  return undefined;
}

/** Returns the number of domains in the list, loaded or not; 0 if no page is loaded. */
export function totalOf(pages: LoadedPages): number {
  return Math.max(0, ...[...pages.values()].map(({ total }) => total));
}

/** Returns the list with the domain replaced in place. */
export function withReplaced(pages: LoadedPages, domain: DomainWire): LoadedPages {
  return new Map(
    [...pages].map(([number, page]) => [
      number,
      page.data.some(({ id }) => id === domain.id)
        ? { ...page, data: page.data.map((former) => (former.id === domain.id ? domain : former)) }
        : page,
    ]),
  );
}

/** Returns the list with a new domain at the front. */
export function withPrepended(pages: LoadedPages, domain: DomainWire): LoadedPages {
  return refilled(pages, [domain, ...loadedDomains(pages)]);
}

/** Returns the list without the domains with these ids; the following domains move up. */
export function withoutDomains(pages: LoadedPages, ids: ReadonlySet<string>): LoadedPages {
  return refilled(
    pages,
    loadedDomains(pages).filter(({ id }) => !ids.has(id)),
  );
}

/** Distributes these rows over the loaded pages. Rows behind a gap are misplaced until their pages are read again. */
function refilled(pages: LoadedPages, rows: readonly DomainWire[]): LoadedPages {
  const added = rows.length - loadedDomains(pages).length;
  if (added === 0) return pages;
  return new Map(
    inOrder(pages).map(([number, page], index) => {
      const data = rows.slice(index * page.page_size, (index + 1) * page.page_size);
      return [number, { ...page, data, total: page.total + added }];
    }),
  );
}

function inOrder(pages: LoadedPages): [number, DomainPage][] {
  return [...pages].toSorted(([left], [right]) => left - right);
}
