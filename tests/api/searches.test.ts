import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { STANDARD_LIMITS } from '../../server/core/limits.ts';
import { createMetrics } from '../../server/telemetry/metrics.ts';
import { freshStore } from '../kit/databases/database.ts';
import { startApi } from './test-api.ts';

it('Search requests of an account share one limit per minute across all calls', async () => {
  const metrics = createMetrics();
  const api = await startApi(() => freshStore('sqlite'), {
    telemetry: { metrics, tracer: null },
    config: { limits: { ...STANDARD_LIMITS, searchesPerMinute: 10 } },
  });
  const { alice, bob } = await api.cast();
  const query = { q: 'shop' };
  await alice.ask(CALLS.domainGroups, { query: { by: 'state' } });
  await alice.ask(CALLS.listDomains, { query: { issuer: 'Fjord Trust' } });
  for (let count = 0; count < 3; count++) {
    await alice.ask(CALLS.listDomains, { query });
    await alice.ask(CALLS.domainIds, { query: { tag: 'prod' } });
  }
  for (let count = 0; count < 2; count++)
    expect((await alice.send('/api/domain/export?q=shop')).status).toBe(200);

  for (const call of [CALLS.listDomains, CALLS.domainIds]) {
    const { problem } = await alice.ask(call, { query });
    expect(problem).toMatchObject({ status: 429, code: 'too_many_requests' });
    expect(problem.detail).toMatch(/^The limit of 10 searches a minute is reached\. Try again in \d+ second/);
  }
  expect((await alice.send('/api/domain/export?q=shop')).status).toBe(429);
  expect(await metrics.registry.metrics()).toContain(
    'certlantern_limit_reached_total{limit="LIMIT_SEARCHES_PER_MINUTE"} 3',
  );
  expect((await alice.ask(CALLS.listDomains)).ok.total).toBe(0);
  expect((await bob.ask(CALLS.listDomains, { query })).ok.total).toBe(0);
  api.clock.advance(60_000);
  expect((await alice.ask(CALLS.listDomains, { query })).ok.total).toBe(0);
});
