import { createMemoryHistory } from '@tanstack/react-router';
import { createAppRouter } from '../../../web/app/router.tsx';

/** Addresses that a sign-in must never redirect to, as an attacker writes them behind `next=`. */
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

/** Values that have no meaning for any parameter, or that the router parses as something other than text. */
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
  // All names of the longest route together must fit in a request's 16 kB of headers.
  'x'.repeat(1_000),
];

export function testRouter(address = '/') {
  return createAppRouter({ history: createMemoryHistory({ initialEntries: [address] }) });
}

/** Returns every route whose page reads search parameters, with their names, from the route tree. */
export function searchedRoutes(): { path: string; names: string[] }[] {
  return Object.values(testRouter().routesByPath).flatMap(({ fullPath, options }) => {
    const { validateSearch } = options as { validateSearch?: (search: object) => unknown };
    const names = new Set<string>();
    // Collects the names that the validator looks up.
    validateSearch?.(new Proxy({}, { get: (_, name) => void (typeof name === 'string' && names.add(name)) }));
    return names.size === 0 ? [] : [{ path: fullPath, names: [...names] }];
  });
}
