/** Addresses to which a sign-in must never redirect. Each is written as an attacker would write it after `next=`. */
export const HOSTILE_ADDRESSES = [
  'https://evil.example/',
  'https:evil.example',
  '//evil.example',
  '//evil.example/dashboard',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '\u0001https://evil.example/',
  '/dashboard/..//evil.example',
  '/%2F/evil.example',
  '%2F%2Fevil.example',
  'https%3A%2F%2Fevil.example',
  'http://localhost@evil.example/dashboard',
  'javascript:location="https://evil.example"',
  'data:text/html,<script>location="https://evil.example"</script>',
  '/api/user/export',
  '/login',
];

/** Values that mean nothing for any parameter, or that the router parses as something other than text. */
export const BOGUS_VALUES = [
  'bogus',
  '',
  '17',
  '-1',
  'true',
  'null',
  '[]',
  '["https://evil.example"]',
  '{"a":1}',
  '"\\ud800"',
  '\u0000',
  'constructor',
  '<script>alert(1)</script>',
  'a,b',
  // Not longer, because this value for all parameters of the longest route must fit in a request's 16 kB of headers.
  'x'.repeat(1_000),
];

/**
 * Every route whose page reads search parameters, with the names of these. `web/app/router.test.ts` compares the list with
 * the route tree.
 */
export const SEARCHED_ROUTES = [
  { path: '/login', names: ['next', 'host'] },
  { path: '/signup', names: ['trial', 'host'] },
  { path: '/signed-in', names: ['error'] },
  {
    path: '/dashboard',
    names: [
      'domain',
      'section',
      'q',
      'status',
      'tag',
      'expires',
      'issuer',
      'without',
      'group',
      'sort',
      'direction',
      'view',
      'span',
    ],
  },
  { path: '/certificates', names: ['q', 'status', 'order', 'direction', 'certificate'] },
  { path: '/deadlines', names: ['q', 'rule'] },
];
