import { describe, expect, it } from 'vitest';
import { createMeters } from '../../server/telemetry/index.ts';
import { freshStore } from '../kit/database.ts';
import { startApi } from './test-api.ts';

/** Nothing here depends on the database. */
const open = () => freshStore('sqlite');

describe('Pages and files', () => {
  it('are refused as text past the limit of an address, which names it and is counted', async () => {
    const telemetry = { meters: createMeters(), tracer: null };
    const limits = { pathBytes: 2_048, pagesPerMinute: 60 };
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
    expect(await telemetry.meters.registry.metrics()).toContain(
      `certlantern_limit_reached_total{limit="LIMIT_PAGES_PER_MINUTE"} ${paths.length}`,
    );
    // The API has its own limit, and others have theirs.
    expect((await api.send('/api/config')).status).toBe(200);
    expect((await api.sendFrom('198.51.100.8')('/landing')).status).not.toBe(429);
    api.clock.advance(60_000);
    expect((await api.send('/landing')).status).not.toBe(429);
  });
});
