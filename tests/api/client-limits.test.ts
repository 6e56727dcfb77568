import { sql } from 'kysely';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { STANDARD_LIMITS } from '../../server/core/limits.ts';
import { createMetrics } from '../../server/telemetry/metrics.ts';
import { freshStore } from '../kit/databases/database.ts';
import { createClient, type Send } from '../kit/product/people.ts';
import { startApi } from './test-api.ts';

/** No test here depends on the database. */
const open = () => freshStore('sqlite');
const TOKEN = (index: number) => `clt_${String(index).padStart(43, 'x')}`;

/** Every limit that counts by address: what it limits, the maximum for one network, and a function that makes one attempt. */
const LIMITED: [what: string, max: number, attempt: (send: Send, index: number) => Promise<number>][] = [
  ['pages', 1_200, async (send) => (await send('/landing')).status],
  ['files', 1_200, async (send) => (await send('/assets/main.js')).status],
  ['calls', 1_200, async (send) => (await send('/api/nothing')).status],
  ['badges', 1_200, async (send) => (await send('/badge/x.svg')).status],
  ['status pages', 300, async (send) => (await send('/status/ours')).status],
  ['contents of status pages', 300, async (send) => (await send('/api/status/ours')).status],
  [
    'tokens',
    30,
    async (send, index) =>
      (await send('/api/user/me', { headers: { authorization: `Bearer ${TOKEN(index)}` } })).status,
  ],
  [
    'sign-ins',
    40,
    async (send, index) => {
      const body = { email: `somebody-${index}@example.test`, password: 'not the password' };
      return (await createClient(send).ask(CALLS.signIn, { body })).status;
    },
  ],
  [
    'password resets',
    20,
    async (send, index) => {
      const body = { email: `somebody-${index}@example.test` };
      return (await createClient(send).ask(CALLS.requestPasswordReset, { body })).status;
    },
  ],
  [
    'preview checks',
    10,
    async (send) => (await createClient(send).ask(CALLS.glance, { body: { host: 'example.com' } })).status,
  ],
];

describe('A rate limit by address', () => {
  it.each(LIMITED)('counts an IPv6 /64 as one address for %s', async (_, max, attempt) => {
    const api = await startApi(open);
    const from = (network: number, host: number) =>
      api.sendFrom(`2001:db8:0:${network}::${host.toString(16)}`);
    for (let index = 1; index <= max; index++) expect(await attempt(from(1, index), index)).not.toBe(429);
    expect(await attempt(from(1, max + 1), max + 1)).toBe(429);
    expect(await attempt(from(2, 1), max + 2)).not.toBe(429);
  });

  it(
    'counts an invalid token once per address and window, even while ten thousand other addresses send the same one',
    { timeout: 300_000 },
    async () => {
      const api = await startApi(open);
      // The test inserts ten thousand rows, which need not survive a crash.
      await sql`pragma synchronous = off`.execute(api.store.db);
      const show = (address: string) =>
        api.sendFrom(address)('/api/user/me', { headers: { authorization: `Bearer ${TOKEN(1)}` } });
      const counted = async () =>
        (
          await api.store.db
            .selectFrom('rate_limits')
            .select('count')
            .where('key', '=', 'token:address:198.51.100.7')
            .executeTakeFirstOrThrow()
        ).count;
      await show('198.51.100.7');
      expect(await counted()).toBe(1);
      for (let third = 0; third < 40; third++)
        await Promise.all(Array.from({ length: 256 }, (_, fourth) => show(`10.0.${third}.${fourth}`)));
      await show('198.51.100.7');
      expect(await counted()).toBe(1);
    },
  );

  it('never uses the full client address, which only the code for the session list reads', () => {
    const folder = join(import.meta.dirname, '../../server/api');
    const readers = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (path) =>
        path.endsWith('.ts') &&
        /\bshown\b.*get\('client'\)|get\('client'\)\.shown/.test(readFileSync(join(folder, path), 'utf8')),
    );
    expect(readers).toEqual(['auth/session.ts']);
  });
});

describe('Pages and files', () => {
  it('answer 429 above the page limit with a plain text that names the limit, and count it in a metric', async () => {
    const telemetry = { metrics: createMetrics(), tracer: null };
    const limits = { ...STANDARD_LIMITS, pagesPerMinute: 60 };
    const api = await startApi(open, { telemetry, config: { limits } });
    const paths = [
      '/',
      '/landing',
      '/favicon.svg',
      '/assets/x.js',
      '/status/ours',
      '/metrics',
      '/dev/mail',
      '/nowhere',
    ];
    for (let index = 0; index < 60; index++) await api.send(paths[index % paths.length] ?? '');
    for (const path of paths) {
      const answer = await api.send(path);
      expect([path, answer.status]).toEqual([path, 429]);
      expect(await answer.text()).toMatch(
        /^The limit of 60 pages a minute is reached\. Try again in \d+ seconds\.\n$/,
      );
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(answer.headers.get('content-type')).toContain('text/plain');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    }
    expect(await telemetry.metrics.registry.metrics()).toContain(
      `certlantern_limit_reached_total{limit="LIMIT_PAGES_PER_MINUTE"} ${paths.length}`,
    );
    // Calls of the API have a limit of their own, and so does every other address.
    expect((await api.send('/api/config')).status).toBe(200);
    expect((await api.sendFrom('198.51.100.8')('/landing')).status).not.toBe(429);
    api.clock.advance(60_000);
    expect((await api.send('/landing')).status).not.toBe(429);
  });
});
