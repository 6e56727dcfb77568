const POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  // The primitives of the pages inject style elements.
  'style-src': "'self' 'unsafe-inline'",
  'img-src': "'self' data:",
  'font-src': "'self'",
  'connect-src': "'self'",
  'worker-src': "'self'",
  'manifest-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
};

const serialise = (policy: Record<string, string>) =>
  Object.entries(policy)
    .map(([directive, value]) => `${directive} ${value}`)
    .join('; ');

/** For the page that shows kept mail: no script at all; the mail itself sits in a sandboxed frame that inherits this. */
export const MAIL_PAGE_POLICY = serialise({
  'default-src': "'none'",
  'style-src': "'unsafe-inline'",
  'img-src': 'data:',
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
});

/** Headers of every answer. */
export function securityHeaders(publicUrl: URL): [name: string, value: string][] {
  const headers: [string, string][] = [
    ['Content-Security-Policy', serialise(POLICY)],
    ['Cross-Origin-Opener-Policy', 'same-origin'],
    ['Cross-Origin-Resource-Policy', 'same-origin'],
    ['X-Content-Type-Options', 'nosniff'],
    ['X-Frame-Options', 'DENY'],
    ['Referrer-Policy', 'strict-origin-when-cross-origin'],
    ['Permissions-Policy', 'camera=(), geolocation=(), microphone=()'],
  ];
  if (publicUrl.protocol === 'https:') headers.push(['Strict-Transport-Security', 'max-age=31536000']);
  return headers;
}
