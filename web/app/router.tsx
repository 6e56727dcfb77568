import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router';
import type { RouterHistory } from '@tanstack/react-router';
import { HOST_MAX_LENGTH } from '../../contract/words.ts';
import { dashboardSearch } from '../lib/dashboard-search.ts';
import { preparePublicConfig } from '../lib/public-config.ts';
import { returnAddress } from '../lib/return-address.ts';
import { loadPage } from '../lib/load-chunk.ts';
import { line, oneOf, searchParameters } from '../lib/search-parameters.ts';
import { BlankPage, ErrorPage, NotFoundPage } from './blank-page.tsx';
import { Root } from './root.tsx';

interface Context {
  queryClient: QueryClient;
}

const rootRoute = createRootRouteWithContext<Context>()({
  component: Root,
  notFoundComponent: NotFoundPage,
});

/** Lazy-loads the component of a route. */
const lazyPage: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(() => loadPage(load), name);

/** What these pages offer and say is that of the deployment. */
const withPublicConfig = ({ context }: { context: Context }) => preparePublicConfig(context.queryClient);

/** Reads the host that a visitor checked on the landing page; the dashboard offers it again after the sign-in. */
const host = line(HOST_MAX_LENGTH);

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  component: lazyPage(() => import('./home.tsx'), 'Home'),
});
const landingRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/landing',
  loader: withPublicConfig,
  component: lazyPage(() => import('../features/landing/landing-page.tsx'), 'LandingPage'),
});
const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/login',
  loader: withPublicConfig,
  /** `next`: the page to open after the login, instead of the dashboard. */
  validateSearch: searchParameters<{ next?: string; host?: string }>({ next: returnAddress, host }),
  component: lazyPage(() => import('../features/session/login-page.tsx'), 'LoginPage'),
});
const signupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/signup',
  loader: withPublicConfig,
  validateSearch: searchParameters<{ trial?: 1; host?: string }>({ trial: oneOf([1]), host }),
  component: lazyPage(() => import('../features/session/signup-page.tsx'), 'SignupPage'),
});
const forgotPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/forgot-password',
  loader: withPublicConfig,
  component: lazyPage(() => import('../features/session/forgot-password-page.tsx'), 'ForgotPasswordPage'),
});
const resetPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reset-password',
  component: lazyPage(() => import('../features/session/reset-password-page.tsx'), 'ResetPasswordPage'),
});
const verifyRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/verify',
  component: lazyPage(() => import('../features/session/verify-page.tsx'), 'VerifyPage'),
});
const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/signed-in',
  validateSearch: searchParameters<{ error?: string }>({ error: line(100) }),
  component: lazyPage(() => import('../features/session/signed-in-page.tsx'), 'SignedInPage'),
});
const termsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/terms',
  loader: withPublicConfig,
  component: lazyPage(() => import('../features/legal/legal-page.tsx'), 'TermsPage'),
});
const termsOfUseRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/terms-of-use',
  loader: withPublicConfig,
  component: lazyPage(() => import('../features/legal/legal-page.tsx'), 'TermsPage'),
});
const privacyRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/privacy',
  loader: withPublicConfig,
  component: lazyPage(() => import('../features/legal/legal-page.tsx'), 'PrivacyPage'),
});
const privacyPolicyRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/privacy-policy',
  loader: withPublicConfig,
  component: lazyPage(() => import('../features/legal/legal-page.tsx'), 'PrivacyPage'),
});

const unsubscribeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/unsubscribe',
  component: lazyPage(() => import('../features/alerts/mailed/unsubscribe-page.tsx'), 'UnsubscribePage'),
});
const confirmRecipientRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/confirm-recipient',
  loader: withPublicConfig,
  component: lazyPage(
    () => import('../features/alerts/mailed/confirm-recipient-page.tsx'),
    'ConfirmRecipientPage',
  ),
});

const publicStatusRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/status/$slug',
  component: lazyPage(() => import('../features/status/public/public-status-page.tsx'), 'PublicStatusPage'),
  notFoundComponent: NotFoundPage,
});

const protectedRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'protected',
  component: lazyPage(() => import('./protected.tsx'), 'Protected'),
});
const dashboardRoute = createRoute({
  getParentRoute: () => protectedRoute,
  path: '/dashboard',
  validateSearch: dashboardSearch,
  component: lazyPage(() => import('../features/domains/dashboard-page.tsx'), 'DashboardPage'),
});
const profileRoute = createRoute({
  getParentRoute: () => protectedRoute,
  path: '/profile',
  component: lazyPage(() => import('../features/profile/profile-page.tsx'), 'ProfilePage'),
});
const alertsRoute = createRoute({
  getParentRoute: () => protectedRoute,
  path: '/alerts',
  component: lazyPage(() => import('../features/alerts/alerts-page.tsx'), 'AlertsPage'),
});
const statusSettingsRoute = createRoute({
  getParentRoute: () => protectedRoute,
  path: '/status-page',
  component: lazyPage(
    () => import('../features/status/settings/status-settings-page.tsx'),
    'StatusSettingsPage',
  ),
});
const billingTestRoute = createRoute({
  getParentRoute: () => protectedRoute,
  path: '/billing-test',
  loader: withPublicConfig,
  component: lazyPage(() => import('../features/billing/billing-test-page.tsx'), 'BillingTestPage'),
});

interface PrerenderOptions {
  history: RouterHistory;
  isServer: boolean;
  scrollRestoration: boolean;
}

/** Each page is a file of its own, so that landing and login do not carry the dashboard. */
export function createAppRouter(context: Context, prerender: Partial<PrerenderOptions> = {}) {
  return createRouter({
    routeTree: rootRoute.addChildren([
      homeRoute,
      landingRoute,
      loginRoute,
      signupRoute,
      forgotPasswordRoute,
      resetPasswordRoute,
      verifyRoute,
      signedInRoute,
      termsRoute,
      termsOfUseRoute,
      privacyRoute,
      privacyPolicyRoute,
      unsubscribeRoute,
      confirmRecipientRoute,
      publicStatusRoute,
      protectedRoute.addChildren([
        dashboardRoute,
        profileRoute,
        alertsRoute,
        statusSettingsRoute,
        billingTestRoute,
      ]),
    ]),
    context,
    // Drops parameters that no `validateSearch` names from the address.
    search: { strict: true },
    defaultPreload: 'intent',
    defaultPendingComponent: BlankPage,
    defaultPendingMs: 150,
    // The blank page is nothing that would flicker.
    defaultPendingMinMs: 0,
    defaultErrorComponent: ErrorPage,
    scrollRestoration: true,
    ...prerender,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
