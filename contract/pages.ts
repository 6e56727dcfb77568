import type { PublicConfig } from './public-config.ts';

/**
 * Paths of the web app's router, including those that need a session, but without status pages. Any other page path gets a 404.
 */
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
  '/certificates',
  '/deadlines',
  '/unsubscribe',
  '/confirm-recipient',
  '/billing-test',
] as const;
export type PagePath = (typeof PAGE_PATHS)[number];

/** Route pattern of public status pages. It matches any slug; only the database knows which slugs exist. */
export const STATUS_ROUTE = '/status/$slug';
const STATUS_PATTERN = /^\/status\/([a-z0-9-]{3,40})$/;

/** Returns the slug of a status page's path; null for any other path. Only lower case matches. */
export function statusSlug(path: string): string | null {
  return STATUS_PATTERN.exec(path)?.[1] ?? null;
}

/** Paths that search engines may index. The other pages are of little use without a session or a mailed link. */
export const LISTED_PATHS: readonly PagePath[] = [
  '/landing',
  '/login',
  '/signup',
  '/terms',
  '/terms-of-use',
  '/privacy',
  '/privacy-policy',
];

/** Folder in the build output with the prerendered pages and the HTML shells of pages that the browser renders. */
export const PRERENDERED_FOLDER = 'prerendered';

/** Settings that select a prerendered variant of the landing page. The server fills in `PLACEHOLDERS` when it serves the page. */
export type LandingSettings = Pick<PublicConfig, 'signups' | 'billing' | 'try_it' | 'insecure_http'>;

/** Returns the file name of the landing page variant for these settings. */
export function landingFile({ signups, billing, try_it, insecure_http }: LandingSettings): string {
  const billingPart = billing.mode === 'test' || billing.mode === 'paddle' ? 'sold' : billing.mode;
  const parts = [
    signups === 'open' ? 'open' : 'closed',
    billingPart,
    try_it && 'try-it',
    insecure_http && 'insecure',
  ];
  return `${parts.filter(Boolean).join('-')}.html`;
}

/** Settings that select a prerendered variant of the login page. */
export type LoginSettings = Pick<PublicConfig, 'signups' | 'identity' | 'insecure_http'>;

/**
 * Returns the file name of the login page variant for these settings. Returns null with OpenID or Firebase sign-in, because only
 * the browser can render that page.
 */
export function loginFile({ signups, identity, insecure_http }: LoginSettings): string | null {
  if (identity.provider !== 'built-in' || identity.oidc.length > 0) return null;
  const parts = ['login', signups !== 'open' && signups, insecure_http && 'insecure'];
  return `${parts.filter(Boolean).join('-')}.html`;
}

/** File name of the HTML shell for public status pages, which the browser renders. */
export const STATUS_FILE = 'shell-status-of-account.html';

/** Returns the file name of the HTML shell of a page that the browser renders. The shell already loads the page's code. */
export function shellFileName(path: PagePath): string {
  return `shell${path === '/' ? '' : path.replace('/', '-')}.html`;
}

/** Placeholders in built pages. The server fills them in per request, escaped for text and quoted attributes. */
export const PLACEHOLDERS = {
  productName: '{{product_name}}',
  /** The page's absolute URL. */
  address: '{{address}}',
  /** The deployment's public settings as JSON. */
  config: '{{config}}',
  /** Title of a status page. */
  statusTitle: '{{status_title}}',
} as const;
