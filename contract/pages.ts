import type { PublicConfig } from './public-config.ts';

/** Every address that the page's router knows, whoever may see it; any other is answered 404. */
export const PAGE_PATHS = [
  '/',
  '/landing',
  '/login',
  '/signup',
  '/forgot-password',
  '/reset-password',
  '/verify',
  '/signed-in',
  '/terms',
  '/terms-of-use',
  '/privacy',
  '/privacy-policy',
  '/dashboard',
  '/profile',
  '/alerts',
  '/status-page',
  '/unsubscribe',
  '/confirm-recipient',
  '/billing-test',
] as const;
export type PagePath = (typeof PAGE_PATHS)[number];

/** The status pages of accounts, as the page's router writes their address. Which there are, only the database knows. */
export const STATUS_ROUTE = '/status/$slug';
const STATUS_PATTERN = /^\/status\/([a-z0-9-]{3,40})$/;

/** The last part of the address of a status page, in lower case; null for any other address. */
export function statusSlug(path: string): string | null {
  return STATUS_PATTERN.exec(path)?.[1] ?? null;
}

/** What search engines may show; the others are of use to nobody but who is signed in, or holds a mailed link. */
export const LISTED_PATHS: readonly PagePath[] = [
  '/landing',
  '/login',
  '/signup',
  '/terms',
  '/terms-of-use',
  '/privacy',
  '/privacy-policy',
];

/** Where the build keeps pages as HTML, and the shells of those that the browser draws, below the folder of the built pages. */
export const PRERENDERED_FOLDER = 'prerendered';

/** The settings that the landing page's text depends on, beside those that are filled in when it is served. */
export type LandingSettings = Pick<PublicConfig, 'signups' | 'billing' | 'try_it' | 'insecure_http'>;

/** The file's name of the landing page that a deployment with these settings shows. */
export function landingFile({ signups, billing, try_it, insecure_http }: LandingSettings): string {
  const sale = billing.mode === 'test' || billing.mode === 'paddle' ? 'sold' : billing.mode;
  const parts = [
    signups === 'open' ? 'open' : 'closed',
    sale,
    try_it && 'try-it',
    insecure_http && 'insecure',
  ];
  return `${parts.filter(Boolean).join('-')}.html`;
}

/** The settings that the login page depends on, beside those that are filled in when it is served. */
export type LoginSettings = Pick<PublicConfig, 'signups' | 'identity' | 'insecure_http'>;

/** The file's name of the login page; null for a deployment with buttons of its own, which only the browser draws. */
export function loginFile({ signups, identity, insecure_http }: LoginSettings): string | null {
  if (identity.provider !== 'built-in' || identity.oidc.length > 0) return null;
  const parts = ['login', signups === 'closed' && 'closed', insecure_http && 'insecure'];
  return `${parts.filter(Boolean).join('-')}.html`;
}

/** The file's name of status pages, which the browser draws. */
export const STATUS_FILE = 'shell-status-of-account.html';

/** The file's name of a page that is drawn by the browser, with its code on the way. */
export function shellFile(path: PagePath): string {
  return `shell${path === '/' ? '' : path.replace('/', '-')}.html`;
}

/**
 * What stands in built pages for what only the server knows: each is replaced when a page is served, escaped for text and
 * for attributes in double quotes.
 */
export const PLACEHOLDERS = {
  productName: '{{product_name}}',
  /** The page's own address, absolute. */
  address: '{{address}}',
  /** The deployment's public settings as JSON. */
  config: '{{config}}',
  /** What a status page is called. */
  statusTitle: '{{status_title}}',
} as const;
