import {
  DOMAIN_GROUPINGS,
  DOMAIN_SORTS,
  type DomainGrouping,
  type DomainSort,
  LIST_STATUSES,
  type ListStatus,
  NAME_MAX_LENGTH,
  SEARCH_MAX_LENGTH,
  TAG_MAX_LENGTH,
} from '../../contract/words.ts';
import { PERIOD_PATTERN } from '../../contract/durations.ts';
import { line, oneOf, searchParameters } from './search-parameters.ts';

const VIEWS = ['grid', 'list'] as const;
export type DomainView = (typeof VIEWS)[number];
/** Spans of the expiry horizon, in days. */
export const HORIZON_SPANS = [30, 90, 365] as const;
export type HorizonSpan = (typeof HORIZON_SPANS)[number];

/** Sections of the domain panel. The panel opens with the first one. */
export const PANEL_SECTIONS = ['overview', 'alerts', 'chain', 'uptime'] as const;
export type PanelSectionName = (typeof PANEL_SECTIONS)[number];

/**
 * The dashboard's search parameters, so that a view can be linked to and Back returns to it. Without `sort`, `view` or `span`
 * the page uses the last choice on this device.
 */
export interface DashboardSearch {
  /** The domain whose panel is open. */
  domain?: string;
  /** The panel's section; by default the first. */
  section?: PanelSectionName;
  q?: string;
  status?: ListStatus;
  tag?: string;
  /** Period in which certificates expire, such as '2027-03' or '2026-11-22..2026-12-05'. */
  expires?: string;
  issuer?: string;
  without?: 'tag' | 'issuer';
  /** What the list is grouped by. The group whose filter the list has is open. */
  group?: DomainGrouping;
  sort?: DomainSort;
  /** Direction of the order, as text. Only the dashboard checks it, so that the login page does not load the list of directions. */
  direction?: string;
  view?: DomainView;
  span?: HorizonSpan;
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const tag = line(TAG_MAX_LENGTH);

/** Reads the dashboard's search parameters. The dashboard sends them on to the API, so values that the API would refuse are dropped. */
export const dashboardSearch = searchParameters<DashboardSearch>({
  domain: (raw) => (typeof raw === 'string' && UUID.test(raw) ? raw : undefined),
  section: oneOf(PANEL_SECTIONS),
  q: line(SEARCH_MAX_LENGTH),
  status: oneOf(LIST_STATUSES),
  tag: (raw) => (tag(raw)?.includes(',') ? undefined : tag(raw)),
  expires: (raw) => (typeof raw === 'string' && PERIOD_PATTERN.test(raw) ? raw : undefined),
  issuer: line(NAME_MAX_LENGTH),
  without: oneOf(['tag', 'issuer']),
  group: oneOf(DOMAIN_GROUPINGS),
  sort: oneOf(DOMAIN_SORTS),
  direction: line(4),
  view: oneOf(VIEWS),
  span: oneOf(HORIZON_SPANS),
});
