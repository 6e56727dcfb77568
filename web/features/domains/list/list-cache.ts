import type { z } from 'zod';
import type { domainListSchema, DomainWire } from '../../../../contract/domain.ts';
import { belongsTo, compareIn, isUnfiltered } from '../domain-filter.ts';
import type { ListFilter } from '../domain-filter.ts';

export type DomainPage = z.infer<typeof domainListSchema>;

/** Those pages of one list that were read, by their number; between them there may be others that were not. */
export type LoadedPages = ReadonlyMap<number, DomainPage>;

/** Every loaded domain once, in the order of the list: a page read later can repeat one that was pushed down. */
export function loadedDomains(pages: LoadedPages): DomainWire[] {
  const byId = new Map<string, DomainWire>();
  for (const number of [...pages.keys()].toSorted((left, right) => left - right))
    for (const domain of pages.get(number)?.data ?? []) if (!byId.has(domain.id)) byId.set(domain.id, domain);
  return [...byId.values()];
}

export function findDomain(pages: LoadedPages, id: string): DomainWire | undefined {
  for (const { data } of pages.values()) {
    const found = data.find((domain) => domain.id === id);
    if (found) return found;
  }
  return undefined;
}

/** The list with the domains in the places of their former selves. Unchanged, the very same, where none is loaded. */
export function patched(pages: LoadedPages, domains: readonly DomainWire[]): LoadedPages {
  const byId = new Map(domains.map((domain) => [domain.id, domain]));
  return mapped(pages, (page) =>
    page.data.some(({ id }) => byId.has(id))
      ? { ...page, data: page.data.map((former) => byId.get(former.id) ?? former) }
      : page,
  );
}

/**
 * The list with a new domain before all others. What it pushes off a page goes to the next one where that is loaded;
 * where it is not, the page keeps what it has, and is off by one until it is read again.
 */
export function prepended(pages: LoadedPages, domain: DomainWire): LoadedPages {
  if (findDomain(pages, domain.id)) return patched(pages, [domain]);
  return mapped(pages, (page, number) => {
    const pushed = number === 1 ? domain : pages.get(number - 1)?.data.at(page.page_size - 1);
    const data = pushed ? [pushed, ...page.data].slice(0, page.page_size) : page.data;
    return { ...page, data, total: page.total + 1 };
  });
}

/** The list without those domains; what follows moves up as far as it is loaded. Unchanged where none is loaded. */
export function without(pages: LoadedPages, ids: ReadonlySet<string>): LoadedPages {
  const gone = loadedDomains(pages).filter(({ id }) => ids.has(id)).length;
  if (gone === 0) return pages;
  const next = new Map<number, DomainPage>();
  for (const run of runsOf(pages)) {
    const size = pages.get(run[0] ?? 1)?.page_size ?? 1;
    const rest = run.flatMap((number) => pages.get(number)?.data ?? []).filter(({ id }) => !ids.has(id));
    run.forEach((number, index) => {
      const page = pages.get(number);
      if (!page) return;
      next.set(number, {
        ...page,
        data: rest.slice(index * size, (index + 1) * size),
        total: Math.max(0, page.total - gone),
      });
    });
  }
  return next;
}

/**
 * Whether the list is no longer as the server has it, now that it is known what became of this domain: it came into it,
 * left it or moved within the part that is loaded.
 */
export function isOutdatedBy(pages: LoadedPages, filter: ListFilter, domain: DomainWire): boolean {
  const former = findDomain(pages, domain.id);
  const belongs = belongsTo(filter, domain);
  if (former) return !belongs || compareIn(filter.sort, former, domain) !== 0;
  return belongs && [...pages].some(([number, page]) => reaches(page, number, filter, domain));
}

/** Whether the new domain of an own call stands first, without the server being asked. */
export function comesFirst(pages: LoadedPages, filter: ListFilter): boolean {
  if (!isUnfiltered(filter)) return false;
  return filter.sort === 'newest' || [...pages.values()].every(({ total }) => total === 0);
}

/** Whether the domain's place is among the rows of this page. */
function reaches({ data, total }: DomainPage, number: number, filter: ListFilter, domain: DomainWire) {
  const [first, last] = [data[0], data.at(-1)];
  if (!first || !last) return number === 1;
  const isAfterFirst = number === 1 || compareIn(filter.sort, first, domain) <= 0;
  return isAfterFirst && (data.length >= total || compareIn(filter.sort, domain, last) <= 0);
}

/** The numbers of loaded pages, those in a row together. */
function runsOf(pages: LoadedPages): number[][] {
  const runs: number[][] = [];
  for (const number of [...pages.keys()].toSorted((left, right) => left - right)) {
    const run = runs.at(-1);
    if (run && run.at(-1) === number - 1) run.push(number);
    else runs.push([number]);
  }
  return runs;
}

function mapped(pages: LoadedPages, change: (page: DomainPage, number: number) => DomainPage): LoadedPages {
  let isChanged = false;
  const next = new Map<number, DomainPage>();
  for (const [number, page] of pages) {
    const changed = change(page, number);
    isChanged ||= changed !== page;
    next.set(number, changed);
  }
  return isChanged ? next : pages;
}
