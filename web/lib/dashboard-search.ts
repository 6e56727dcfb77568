import { SEARCH_MAX_LENGTH, TAG_MAX_LENGTH } from '../../contract/words.ts';
import { DOMAIN_SORTS, LIST_STATUSES } from '../../contract/domain.ts';
import type { DomainSort, ListStatus } from '../../contract/domain.ts';
import { line, oneOf, searchParameters } from './search-parameters.ts';

const VIEWS = ['grid', 'list'] as const;
export type DomainView = (typeof VIEWS)[number];
/** How far the expiry horizon looks, in days. */
export const HORIZON_SPANS = [30, 90, 365] as const;
export type HorizonSpan = (typeof HORIZON_SPANS)[number];

/**
 * Describes the dashboard's search parameters, so that a view can be linked to and the browser's Back button returns to it. Without
 * `sort`, `view` or `span` the page uses what was chosen last on this device.
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

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const tag = line(TAG_MAX_LENGTH);

/** Reads the dashboard's search parameters. The page sends them on, so only what the API accepts is let through. */
export const dashboardSearch = searchParameters<DashboardSearch>({
  domain: (raw) => (typeof raw === 'string' && UUID.test(raw) ? raw : undefined),
  q: line(SEARCH_MAX_LENGTH),
  status: oneOf(LIST_STATUSES),
  tag: (raw) => (tag(raw)?.includes(',') ? undefined : tag(raw)),
  sort: oneOf(DOMAIN_SORTS),
  view: oneOf(VIEWS),
  span: oneOf(HORIZON_SPANS),
});
