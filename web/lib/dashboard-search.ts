import { DOMAIN_SORTS, LIST_STATUSES } from '../../contract/domain.ts';
import type { DomainSort, ListStatus } from '../../contract/domain.ts';

const VIEWS = ['grid', 'list'] as const;
export type DomainView = (typeof VIEWS)[number];
/** How far the expiry horizon looks, in days. */
export const HORIZON_SPANS = [30, 90, 365] as const;
export type HorizonSpan = (typeof HORIZON_SPANS)[number];

/**
 * What of the dashboard is in its address, so that it can be linked to and the way back leads to it. What is left out of
 * `sort`, `view` and `span` is as it was chosen last.
 */
export interface DashboardSearch {
  /** The domain whose panel is open. */
  domain?: string;
  q?: string;
  status?: ListStatus;
  tag?: string;
  sort?: DomainSort;
  view?: DomainView;
  span?: HorizonSpan;
}

/** The parts of an address that mean something; all else is dropped. */
export function dashboardSearch(search: Record<string, unknown>): DashboardSearch {
  const found = {
    domain: text(search['domain']),
    q: text(search['q']),
    status: oneOf(LIST_STATUSES, search['status']),
    tag: text(search['tag']),
    sort: oneOf(DOMAIN_SORTS, search['sort']),
    view: oneOf(VIEWS, search['view']),
    span: oneOf(HORIZON_SPANS, search['span']),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

const oneOf = <Choice>(choices: readonly Choice[], value: unknown): Choice | undefined =>
  choices.find((choice) => choice === value);

/** The router reads what looks like a number as one. */
function text(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
