import { createMemoryHistory } from '@tanstack/react-router';
import { describe, expect, it } from 'vitest';
import { listQuerySchema } from '../../contract/domain.ts';
import { PAGE_PATHS, STATUS_ROUTE } from '../../contract/pages.ts';
import { BOGUS_VALUES, HOSTILE_ADDRESSES, SEARCHED_ROUTES } from '../../tests/kit/product/searched-routes.ts';
import { createAppRouter } from './router.tsx';

const testRouter = (address = '/') =>
  createAppRouter({ history: createMemoryHistory({ initialEntries: [address] }) });

/** Returns what the page at this address reads with `useSearch`. */
async function searchAt(path: string, search: Record<string, string>): Promise<Record<string, unknown>> {
  const router = testRouter(`${path}?${new URLSearchParams(search)}`);
  await router.load();
  return { ...router.state.matches.at(-1)?.search };
}

it('the page router and the server have the same paths, except for the landing page’s own document', () => {
  const paths = Object.keys(testRouter().routesByPath);
  expect([...paths, '/landing'].toSorted()).toEqual([...PAGE_PATHS, STATUS_ROUTE].toSorted());
});

it('the expected list names every route that reads search parameters, and each parameter', () => {
  const found = Object.values(testRouter().routesByPath).flatMap(({ fullPath, options }) => {
    const { validateSearch } = options as { validateSearch?: (search: object) => unknown };
    const names = new Set<string>();
    // Collects the names that the validator looks up.
    validateSearch?.(new Proxy({}, { get: (_, name) => void (typeof name === 'string' && names.add(name)) }));
    return names.size === 0 ? [] : [{ path: fullPath, names: [...names] }];
  });
  expect(found).toEqual(SEARCHED_ROUTES);
});

describe('the `next` parameter of the login page', () => {
  it.each(['/dashboard', '/dashboard?domain=7&status=soon', '/profile', '/status-page', '/alerts#channels'])(
    'reads %s unchanged',
    async (next) => {
      expect(await searchAt('/login', { next })).toMatchObject({ next });
    },
  );

  it.each(HOSTILE_ADDRESSES.map((next) => JSON.stringify(next)))('rejects %s', async (quoted) => {
    const next = JSON.parse(quoted) as string;
    expect((await searchAt('/login', { next }))['next']).toBeUndefined();
  });

  it('exists only on the login page', () => {
    const paths = SEARCHED_ROUTES.filter(({ names }) => names.includes('next'));
    expect(paths.map(({ path }) => path)).toEqual(['/login']);
  });
});

describe.each(SEARCHED_ROUTES)('The search parameters of $path', ({ path, names }) => {
  it.each(BOGUS_VALUES.map((value) => JSON.stringify(value)))(
    'are undefined, text or a number if the URL has the value %s',
    async (quoted) => {
      const value = JSON.parse(quoted) as string;
      const found = await searchAt(path, Object.fromEntries(names.map((name) => [name, value])));
      for (const name of names) expect([name, typeof found[name]]).toSatisfy(isPlain);
    },
  );
});

const isPlain = ([, type]: [string, string]) => ['undefined', 'string', 'number'].includes(type);

it('the expiry filter of the dashboard accepts a month or a range of days, and nothing else', async () => {
  for (const expires of ['2027-03', '2026-11-22..2026-12-05'])
    expect(await searchAt('/dashboard', { expires })).toMatchObject({ expires });
  for (const expires of [
    '2027-13',
    '2027-3',
    '27-03',
    '2027-03-01',
    '2026-11..2026-12',
    '2026-11-32..2026-12-05',
  ])
    expect((await searchAt('/dashboard', { expires })).expires).toBeUndefined();
});

it.each(
  [...BOGUS_VALUES, 'x'.repeat(41), 'x'.repeat(253), ' x ', 'Shop'].map((value) => JSON.stringify(value)),
)(
  'the dashboard reads no filter from the URL that the API would refuse, even for the value %s',
  async (quoted) => {
    const value = JSON.parse(quoted) as string;
    const { q, status, tag, expires, issuer, without, group, sort, domain, view, span } = await searchAt(
      '/dashboard',
      {
        q: value,
        status: value,
        tag: value,
        expires: value,
        issuer: value,
        without: value,
        group: value,
        sort: value,
        domain: value,
        view: value,
        span: value,
      },
    );
    expect(
      listQuerySchema.safeParse({ q, status, tag, expires, issuer, without, sort }).error,
    ).toBeUndefined();
    expect(
      [status, expires, without, group, sort, domain, view, span].filter((one) => one !== undefined),
    ).toEqual([]);
  },
);
