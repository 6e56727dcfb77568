/** 0 or 1. */
type Flag = number;

/** What an account shows to anybody, at most one page each. */
export interface StatusPagesTable {
  account_id: string;
  /** The last part of its address; unique. */
  slug: string;
  /** 0: it exists for nobody but its owner. */
  enabled: Flag;
  /** Whether search engines may list it. */
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

/** What a domain is called on the page of its account, and where a page of chosen domains has it. */
export interface StatusPageDomainsTable {
  account_id: string;
  monitor_id: string;
  place: number;
  /** Empty: its own name. */
  label: string;
}

/** Pictures of domains, for whoever knows the address. The token stands here as it is: it is made to be published. */
export interface BadgesTable {
  account_id: string;
  monitor_id: string;
  token: string;
  created_at: number;
}
