import type { ProviderSettings } from '../app-options.ts';

/** CSP sources by directive. */
type Policy = Record<string, readonly string[]>;

const OWN: Policy = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  // The library of UI primitives injects style elements.
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:'],
  'font-src': ["'self'"],
  'connect-src': ["'self'"],
  'worker-src': ["'self'"],
  'manifest-src': ["'self'"],
  'base-uri': ["'none'"],
  'form-action': ["'self'"],
  'frame-ancestors': ["'none'"],
};

const serialise = (policy: Policy) =>
  Object.entries(policy)
    .map(([directive, sources]) => [directive, ...sources].join(' '))
    .join('; ');

/**
 * Policy of the page that shows captured mail: no scripts. The mail is in a sandboxed frame that inherits this policy.
 */
export const MAIL_PAGE_POLICY = serialise({
  'default-src': ["'none'"],
  'style-src': ["'unsafe-inline'"],
  'img-src': ['data:'],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
});

export interface HeaderSettings extends ProviderSettings {
  publicUrl: URL;
  analyticsId: string | null;
}

/** Path of the page on which the sign-in popup ends. */
const SIGNED_IN_PAGE = '/signed-in';

/** Returns a function from a path to its security headers. Other origins are only allowed for configured services. */
export function securityHeaders(
  settings: HeaderSettings,
): (path: string) => readonly [name: string, value: string][] {
  const { publicUrl, firebase, oidc, billing } = settings;
  const policy = [
    firebasePolicy(settings),
    photoPolicy(settings),
    paddlePolicy(settings),
    analyticsPolicy(settings),
  ].reduce(mergePolicies, OWN);
  // With `same-origin`, the browser would separate a page from the popups that it opens for sign-in, and that payment
  // methods open from the checkout's frame.
  const popups = firebase !== null || oidc.length > 0 || billing.mode === 'paddle';
  const headers: [string, string][] = [
    ['Content-Security-Policy', serialise(policy)],
    ['Cross-Origin-Opener-Policy', popups ? 'same-origin-allow-popups' : 'same-origin'],
    ['Cross-Origin-Resource-Policy', 'same-origin'],
    ['X-Content-Type-Options', 'nosniff'],
    ['X-Frame-Options', 'DENY'],
    ['Referrer-Policy', 'strict-origin-when-cross-origin'],
    ['Permissions-Policy', 'camera=(), geolocation=(), microphone=()'],
  ];
  if (publicUrl.protocol === 'https:') headers.push(['Strict-Transport-Security', 'max-age=31536000']);
  // The popup returns from a provider that sends no opener policy. With ours, the browser would separate the popup from
  // its opener, and it could not close itself. The page has nothing that needs protection.
  const signedIn: typeof headers = [...headers, ['Cross-Origin-Opener-Policy', 'unsafe-none']];
  return (path) => (path === SIGNED_IN_PAGE && oidc.length > 0 ? signedIn : headers);
}

function mergePolicies(policy: Policy, more: Policy): Policy {
  const merged = { ...policy };
  for (const [directive, sources] of Object.entries(more))
    merged[directive] = [...(merged[directive] ?? []), ...sources];
  return merged;
}

/**
 * Allows the calls of the Firebase SDK and, for its popup, the project's page in a hidden frame and the script that talks to this
 * frame.
 */
function firebasePolicy({ firebase }: ProviderSettings): Policy {
  if (firebase === null) return {};
  const { emulatorUrl, authDomain } = firebase;
  return {
    'script-src': ['https://apis.google.com'],
    'frame-src': [emulatorUrl ?? `https://${authDomain}`],
    'connect-src':
      emulatorUrl === null
        ? ['https://identitytoolkit.googleapis.com', 'https://securetoken.googleapis.com']
        : [emulatorUrl],
  };
}

/** Allows Google's profile photos. The photos of other providers may be anywhere, so the page shows their users' initials. */
function photoPolicy({ firebase, oidc }: ProviderSettings): Policy {
  if (firebase === null && !oidc.some(({ id }) => id === 'google')) return {};
  return { 'img-src': ['https://*.googleusercontent.com'] };
}

/** Allows Paddle: one script for both environments, and the hosts that paddle.js uses in this environment. */
function paddlePolicy({ billing }: ProviderSettings): Policy {
  if (billing.mode !== 'paddle') return {};
  const prefix = billing.environment === 'sandbox' ? 'sandbox-' : '';
  const assets = `https://${prefix}cdn.paddle.com`;
  return {
    'script-src': ['https://cdn.paddle.com'],
    'style-src': [assets],
    'img-src': [assets],
    'frame-src': [`https://${prefix}buy.paddle.com`],
    'connect-src': [`https://${prefix}checkout-service.paddle.com`],
  };
}

/** Allows the origins in Google's CSP guide for GA4, without those that only advertising needs. */
function analyticsPolicy({ analyticsId }: HeaderSettings): Policy {
  if (analyticsId === null) return {};
  const measurementOrigins = ['https://*.google-analytics.com', 'https://*.googletagmanager.com'];
  return {
    'script-src': ['https://www.googletagmanager.com'],
    'img-src': measurementOrigins,
    'connect-src': [...measurementOrigins, 'https://*.analytics.google.com'],
  };
}
