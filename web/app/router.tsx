import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type RouteComponent,
  type RouterHistory,
  RouterProvider,
  useLocation,
} from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { HOST_MAX_LENGTH, LIST_STATUSES, SEARCH_MAX_LENGTH } from '../../contract/words.ts';
import type { CertificatesAddress } from '../features/certificates/certificates-search.ts';
import { dashboardSearch } from '../lib/dashboard-search.ts';
import { line, oneOf, PROTECTED_PATHS, returnAddress, searchParameters } from '../lib/search-parameters.ts';
import { loadPage } from '../lib/browser/load-chunk.ts';
import { BlankPage, ErrorPage, NotFoundPage } from './blank-page.tsx';
import { lazyPart } from '../ui/lazy.tsx';
import { useShouldLoadToaster } from '../ui/toast.tsx';
import { PageFrame } from './page-frame.tsx';

const Toaster = lazyPart(async () => (await import('../ui/toaster.tsx')).Toaster);

const rootRoute = createRootRoute({
  component: Root,
  notFoundComponent: NotFoundPage,
});

/** Loads the code of a route's component when the route is first visited. */
const lazyPage: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(() => loadPage(load), name);

/** Reads the host that a visitor checked on the landing page; the dashboard offers it again after the sign-in. */
const host = line(HOST_MAX_LENGTH);

/** Reads a short value as text. The page itself decides whether it is valid. */
const word = line(64);

/** Creates the route of a page without search parameters. The page's code loads with the first visit. */
function page<Parent extends AnyRoute, Path extends string, Name extends string>(
  parent: Parent,
  path: Path,
  load: () => Promise<Record<Name, RouteComponent>>,
  name: Name,
) {
  return createRoute({ getParentRoute: () => parent, path, component: lazyPage(load, name) });
}

/** Surrounds the pages that use the query cache. Other pages, such as the login, load without that library. */
const queryCacheRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'query-cache',
  component: lazyPage(() => import('./query-cache-route.tsx'), 'QueryCacheRoute'),
});
const protectedRoute = createRoute({
  getParentRoute: () => queryCacheRoute,
  id: 'protected',
  component: lazyPage(() => import('./protected.tsx'), 'Protected'),
});

const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/login',
  /** `next`: the page to open after the login, instead of the dashboard. */
  validateSearch: searchParameters<{ next?: string; host?: string }>({ next: returnAddress, host }),
  component: lazyPage(() => import('../features/session/login-page.tsx'), 'LoginPage'),
});
const signupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/signup',
  validateSearch: searchParameters<{ trial?: 1; host?: string }>({ trial: oneOf([1]), host }),
  component: lazyPage(() => import('../features/session/signup-page.tsx'), 'SignupPage'),
});
const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/signed-in',
  validateSearch: searchParameters<{ error?: string }>({ error: line(100) }),
  component: lazyPage(() => import('../features/session/signed-in-page.tsx'), 'SignedInPage'),
});
const publicStatusRoute = createRoute({
  getParentRoute: () => queryCacheRoute,
  path: '/status/$slug',
  component: lazyPage(() => import('../features/status/public/public-status-page.tsx'), 'PublicStatusPage'),
  notFoundComponent: NotFoundPage,
});
const dashboardRoute = createRoute({
  getParentRoute: () => protectedRoute,
  path: '/dashboard',
  validateSearch: dashboardSearch,
  component: lazyPage(() => import('./dashboard.tsx'), 'Dashboard'),
});
const certificatesRoute = createRoute({
  getParentRoute: () => protectedRoute,
  path: '/certificates',
  // The page itself checks the values of `order` and `direction`, so that the login page does not load their lists.
  validateSearch: searchParameters<CertificatesAddress>({
    q: line(SEARCH_MAX_LENGTH),
    status: oneOf(LIST_STATUSES),
    order: word,
    direction: word,
    certificate: (raw) => (typeof raw === 'string' && /^[\da-f]{64}$/.test(raw) ? raw : undefined),
  }),
  component: lazyPage(() => import('../features/certificates/certificates-page.tsx'), 'CertificatesPage'),
});
const deadlinesRoute = createRoute({
  getParentRoute: () => protectedRoute,
  path: '/deadlines',
  validateSearch: searchParameters<{ q?: string; rule?: string }>({
    q: line(SEARCH_MAX_LENGTH),
    rule: word,
  }),
  component: lazyPage(() => import('../features/deadlines/deadlines-page.tsx'), 'DeadlinesPage'),
});

const legal = () => import('../features/legal/legal-page.tsx');
const routeTree = rootRoute.addChildren([
  page(rootRoute, '/', () => import('./home.tsx'), 'Home'),
  loginRoute,
  signupRoute,
  page(
    rootRoute,
    '/forgot-password',
    () => import('../features/session/forgot-password-page.tsx'),
    'ForgotPasswordPage',
  ),
  page(
    rootRoute,
    '/reset-password',
    () => import('../features/session/reset-password-page.tsx'),
    'ResetPasswordPage',
  ),
  signedInRoute,
  page(rootRoute, '/terms', legal, 'TermsPage'),
  page(rootRoute, '/terms-of-use', legal, 'TermsPage'),
  page(rootRoute, '/privacy', legal, 'PrivacyPage'),
  page(rootRoute, '/privacy-policy', legal, 'PrivacyPage'),
  queryCacheRoute.addChildren([
    page(queryCacheRoute, '/verify', () => import('../features/session/verify-page.tsx'), 'VerifyPage'),
    page(
      queryCacheRoute,
      '/unsubscribe',
      () => import('../features/alerts/mailed/unsubscribe-page.tsx'),
      'UnsubscribePage',
    ),
    page(
      queryCacheRoute,
      '/confirm-recipient',
      () => import('../features/alerts/mailed/confirm-recipient-page.tsx'),
      'ConfirmRecipientPage',
    ),
    publicStatusRoute,
    protectedRoute.addChildren([
      dashboardRoute,
      certificatesRoute,
      deadlinesRoute,
      page(protectedRoute, '/profile', () => import('../features/profile/profile-page.tsx'), 'ProfilePage'),
      page(protectedRoute, '/alerts', () => import('../features/alerts/alerts-page.tsx'), 'AlertsPage'),
      page(
        protectedRoute,
        '/status-page',
        () => import('../features/status/settings/status-settings-page.tsx'),
        'StatusSettingsPage',
      ),
      page(
        protectedRoute,
        '/billing-test',
        () => import('../features/billing/billing-test-page.tsx'),
        'BillingTestPage',
      ),
    ]),
  ]),
]);

interface PrerenderOptions {
  history: RouterHistory;
  isServer: boolean;
  scrollRestoration: boolean;
}

/** Creates the router. Each page is a chunk of its own, so that the login does not load the dashboard. */
export function createAppRouter(prerender: Partial<PrerenderOptions> = {}) {
  return createRouter({
    routeTree,
    // Removes search parameters from the URL that no `validateSearch` names.
    search: { strict: true },
    defaultPreload: 'intent',
    defaultPendingComponent: BlankPage,
    defaultPendingMs: 150,
    // The pending page is blank, so showing it briefly does not flicker.
    defaultPendingMinMs: 0,
    defaultErrorComponent: ErrorPage,
    scrollRestoration: true,
    ...prerender,
  });
}

/** Returns every page but the landing page. With `isPrerendered`, first loads the code of the page that React will hydrate. */
export async function createPages(isPrerendered: boolean): Promise<ReactNode> {
  const router = createAppRouter();
  if (isPrerendered) {
    router.ssr = { manifest: undefined };
    await router.load();
  }
  return <RouterProvider router={router} />;
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Set if the dashboard should open the form that adds a domain. */
    addsDomain?: true;
    /** Set if the alerts page should open the form that adds a Slack channel. */
    addsChannel?: 'slack';
  }
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}

/** Renders the page, and beside it the toasts, which outlive page changes. */
function Root() {
  // The shell of these pages has a notice bar of its own.
  const hasShell = useLocation({ select: ({ pathname }) => PROTECTED_PATHS.includes(pathname) });
  const mayToast = useShouldLoadToaster(hasShell);
  return (
    <PageFrame hasNotices={hasShell}>
      <Outlet />
      {mayToast && <Toaster />}
    </PageFrame>
  );
}
