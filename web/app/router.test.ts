import { describe, expect, it } from 'vitest';
import { listQuerySchema } from '../../contract/domain.ts';
import { PAGE_PATHS, STATUS_ROUTE } from '../../contract/pages.ts';
import {
  BOGUS_VALUES,
  HOSTILE_ADDRESSES,
  searchedRoutes,
  testRouter,
} from '../../tests/kit/searched-routes.ts';

/** What the page at this address reads with `useSearch`. */
async function searchAt(path: string, search: Record<string, string>): Promise<Record<string, unknown>> {
  const router = testRouter(`${path}?${new URLSearchParams(search)}`);
  await router.load();
  return { ...router.state.matches.at(-1)?.search };
}

it('the page router and the server know the same addresses', () => {
  const paths = Object.keys(testRouter().routesByPath);
  expect(paths.toSorted()).toEqual([...PAGE_PATHS, STATUS_ROUTE].toSorted());
});

describe('The next address of the login page', () => {
  it.each(['/dashboard', '/dashboard?domain=7&status=soon', '/profile', '/status-page', '/alerts#channels'])(
    'is %s as it was written',
    async (next) => {
      expect(await searchAt('/login', { next })).toMatchObject({ next });
    },
  );

  it.each(HOSTILE_ADDRESSES.map((next) => JSON.stringify(next)))('is never %s', async (quoted) => {
    const next = JSON.parse(quoted) as string;
    expect((await searchAt('/login', { next }))['next']).toBeUndefined();
  });

  it('is read on the login page alone', () => {
    const paths = searchedRoutes().filter(({ names }) => names.includes('next'));
    expect(paths.map(({ path }) => path)).toEqual(['/login']);
  });
});

describe.each(searchedRoutes())('The search parameters of $path', ({ path, names }) => {
  it.each(BOGUS_VALUES.map((value) => JSON.stringify(value)))(
    'are text or a known value given %s',
    async (quoted) => {
      const value = JSON.parse(quoted) as string;
      const found = await searchAt(path, Object.fromEntries(names.map((name) => [name, value])));
      for (const name of names) expect([name, typeof found[name]]).toSatisfy(isPlain);
    },
  );
});

const isPlain = ([, type]: [string, string]) => ['undefined', 'string', 'number'].includes(type);

it.each(
  [...BOGUS_VALUES, 'x'.repeat(41), 'x'.repeat(253), ' x ', 'Shop'].map((value) => JSON.stringify(value)),
)('the dashboard asks the API for nothing that it refuses, given %s', async (quoted) => {
  const value = JSON.parse(quoted) as string;
  const { q, status, tag, sort, domain, view, span } = await searchAt('/dashboard', {
    q: value,
    status: value,
    tag: value,
    sort: value,
    domain: value,
    view: value,
    span: value,
  });
  expect(listQuerySchema.safeParse({ q, status, tag, sort }).error).toBeUndefined();
  expect([status, sort, domain, view, span].filter((one) => one !== undefined)).toEqual([]);
});
