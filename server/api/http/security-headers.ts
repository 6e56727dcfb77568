import type { Settings } from './public-settings.ts';

/** Origins that a page may use, by directive. */
type Policy = Record<string, readonly string[]>;

const OWN: Policy = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  // The primitives of the pages inject style elements.
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

/** For the page that shows kept mail: no script at all; the mail itself sits in a sandboxed frame that inherits this. */
export const MAIL_PAGE_POLICY = serialise({
  'default-src': ["'none'"],
  'style-src': ["'unsafe-inline'"],
  'img-src': ['data:'],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
});

export interface HeaderSettings extends Settings {
  publicUrl: URL;
  analyticsId: string | null;
}

/** Where a sign-in's popup ends. */
const SIGNED_IN_PAGE = '/signed-in';

/**
 * Headers of the answer for each path. Other origins are let in for what is configured, and for nothing else.
 */
export function securityHeaders(
  settings: HeaderSettings,
): (path: string) => readonly [name: string, value: string][] {
  const { publicUrl, firebase, oidc, billing } = settings;
  const policy = [
    firebasePolicy(settings),
    photoPolicy(settings),
    paddlePolicy(settings),
    analyticsPolicy(settings),
  ].reduce(joined, OWN);
  // A sign-in popup must stay ours to close, and ways to pay inside the checkout's frame open popups of their own.
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
  // Coming from a provider without such a policy, the popup would become a window that nobody opened, which cannot close
  // itself. There is nothing on that page to keep.
  const signedIn: typeof headers = [...headers, ['Cross-Origin-Opener-Policy', 'unsafe-none']];
  return (path) => (path === SIGNED_IN_PAGE && oidc.length > 0 ? signedIn : headers);
}

function joined(policy: Policy, more: Policy): Policy {
  const sum = { ...policy };
  for (const [directive, sources] of Object.entries(more))
    sum[directive] = [...(sum[directive] ?? []), ...sources];
  return sum;
}

/** The SDK's calls, and for its popup the project's hidden page with the script that talks to it. */
function firebasePolicy({ firebase }: Settings): Policy {
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

/** Allows the profile photos of Google accounts. Other providers may host photos anywhere, so their users show initials. */
function photoPolicy({ firebase, oidc }: Settings): Policy {
  if (firebase === null && !oidc.some(({ id }) => id === 'google')) return {};
  return { 'img-src': ['https://*.googleusercontent.com'] };
}

/** One script for both environments; everything else comes from hosts of the environment, as in paddle.js itself. */
function paddlePolicy({ billing }: Settings): Policy {
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

/** As Google's guide to GA4 under a policy lists it, without what only advertising needs. */
function analyticsPolicy({ analyticsId }: HeaderSettings): Policy {
  if (analyticsId === null) return {};
  const measuring = ['https://*.google-analytics.com', 'https://*.googletagmanager.com'];
  return {
    'script-src': ['https://www.googletagmanager.com'],
    'img-src': measuring,
    'connect-src': [...measuring, 'https://*.analytics.google.com'],
  };
}
