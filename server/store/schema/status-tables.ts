/** A boolean as 0 or 1. */
type Flag = number;

/** Public status pages, at most one per account. */
export interface StatusPagesTable {
  account_id: string;
  /** The last path segment of the page's URL. Unique. */
  slug: string;
  /** 0 if the page is visible to its owner only. */
  enabled: Flag;
  /** 1 if search engines may list the page. */
  listed: Flag;
  title: string;
  shows: 'all' | 'tags' | 'chosen';
  /** JSON list of lower-case words. */
  tags: string;
  show_certificates: Flag;
  show_uptime: Flag;
  show_incidents: Flag;
  created_at: number;
  changed_at: number;
}

/** The label of a domain on the status page, and its position if the page shows chosen domains. */
export interface StatusPageDomainsTable {
  account_id: string;
  monitor_id: string;
  place: number;
  /** Label of the domain; empty: the page shows the host name. */
  label: string;
}

/** Public badge images of domains. The token is stored in clear text, because it is meant to be published. */
export interface BadgesTable {
  account_id: string;
  monitor_id: string;
  token: string;
  created_at: number;
}
