import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { BlankPage, ErrorPage, NotFoundPage } from './blank-page.tsx';
import { Root } from './root.tsx';

const rootRoute = createRootRoute({ component: Root, notFoundComponent: NotFoundPage });

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./home.tsx'), 'Home'),
});
const landingRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/landing',
  component: lazyRouteComponent(() => import('../features/landing/landing-page.tsx'), 'LandingPage'),
});
const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/login',
  component: lazyRouteComponent(() => import('../features/session/login-page.tsx'), 'LoginPage'),
});
const signupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/signup',
  validateSearch: (search): { invite?: string } =>
    typeof search['invite'] === 'string' ? { invite: search['invite'] } : {},
  component: lazyRouteComponent(() => import('../features/session/signup-page.tsx'), 'SignupPage'),
});
const termsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/terms',
  component: lazyRouteComponent(() => import('../features/legal/legal-page.tsx'), 'TermsPage'),
});
const termsOfUseRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/terms-of-use',
  component: lazyRouteComponent(() => import('../features/legal/legal-page.tsx'), 'TermsPage'),
});
const privacyRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/privacy',
  component: lazyRouteComponent(() => import('../features/legal/legal-page.tsx'), 'PrivacyPage'),
});
const privacyPolicyRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/privacy-policy',
  component: lazyRouteComponent(() => import('../features/legal/legal-page.tsx'), 'PrivacyPage'),
});

const protectedRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'protected',
  component: lazyRouteComponent(() => import('./protected.tsx'), 'Protected'),
});
const dashboardRoute = createRoute({
  getParentRoute: () => protectedRoute,
  path: '/dashboard',
  // The domain whose panel is open.
  validateSearch: (search): { domain?: string } =>
    typeof search['domain'] === 'string' ? { domain: search['domain'] } : {},
  component: lazyRouteComponent(() => import('../features/domains/dashboard-page.tsx'), 'DashboardPage'),
});
const profileRoute = createRoute({
  getParentRoute: () => protectedRoute,
  path: '/profile',
  component: lazyRouteComponent(() => import('../features/profile/profile-page.tsx'), 'ProfilePage'),
});

/** Each page is a file of its own, so that landing and login do not carry the dashboard. */
export const router = createRouter({
  routeTree: rootRoute.addChildren([
    homeRoute,
    landingRoute,
    loginRoute,
    signupRoute,
    termsRoute,
    termsOfUseRoute,
    privacyRoute,
    privacyPolicyRoute,
    protectedRoute.addChildren([dashboardRoute, profileRoute]),
  ]),
  defaultPreload: 'intent',
  defaultPendingComponent: BlankPage,
  defaultPendingMs: 150,
  defaultErrorComponent: ErrorPage,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
