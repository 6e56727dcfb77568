import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Observation } from '../../server/core/observation.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createTrustStore } from '../../server/pki/trust-store.ts';
import { createProbe } from '../../server/probe/probe.ts';
import { NO_SOURCES } from '../../tests/kit/product/stand-ins.ts';
import { HOSTILE_HTTP2 } from '../../tests/kit/peers/http2-peers.ts';
import type { Figure } from '../scale/figures.ts';
import type { Http2Ready } from './http2-peers.ts';

const MAX_MS_PER_CHECK = 200;
/** Maximum time in s of a check: its deadline, and one second to close the connection. */
const MAX_SECONDS = 21;
/** Number of simultaneous checks of each kind of server. */
const AT_ONCE = 20;
const MAX_MB_PER_CHECK = 0.5;
const SAMPLE_MS = 20;

const resolver = { resolve: () => Promise.resolve({ ok: true as const, addresses: ['127.0.0.1'] }) };
const probe = createProbe({
  resolver,
  policy: createAddressPolicy(['127.0.0.0/8']),
  now: Date.now,
  sources: NO_SOURCES,
});
const trustStore = createTrustStore([]);
const { signal } = new AbortController();

const check = (port: number): Promise<Observation> =>
  probe.observe(
    { host: 'hostile.test', port, protocol: 'https' },
    { signal, trustStore, withPosture: false },
  );

/**
 * Checks servers that agree on HTTP/2 and then misuse it. Checks them one by one to measure the CPU time, then all kinds at
 * once to measure the memory. Counts results that were not expected, and errors that nobody handled.
 */
export async function measureHttp2(): Promise<Figure[]> {
  const farm = fork(new URL('./http2-peers.ts', import.meta.url));
  let uncaught = 0;
  const count = (): void => void uncaught++;
  process.on('uncaughtException', count).on('unhandledRejection', count);
  try {
    const [{ ports }] = (await once(farm, 'message')) as [Http2Ready];
    await check(ports[0] ?? 0);
    const kinds = HOSTILE_HTTP2.map(([name, , outcome], index) => ({
      name,
      outcome,
      port: ports[index] ?? 0,
    }));

    let unexpected = 0;
    let costliest = { name: '', ms: 0 };
    for (const { name, outcome, port } of kinds.filter((kind) => kind.outcome !== 'timeout')) {
      const before = process.cpuUsage();
      const { http } = await check(port);
      const { user, system } = process.cpuUsage(before);
      const ms = (user + system) / 1_000;
      if (ms > costliest.ms) costliest = { name, ms };
      if (outcomeOf(http) !== outcome) unexpected++;
    }

    globalThis.gc?.();
    const before = process.memoryUsage.rss();
    let most = before;
    const sampling = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), SAMPLE_MS);
    let longest = 0;
    const many = Array.from({ length: AT_ONCE }, () => kinds).flat();
    await Promise.all(
      many.map(async ({ outcome, port }) => {
        const { http, durationMs } = await check(port);
        longest = Math.max(longest, durationMs);
        if (outcomeOf(http) !== outcome) unexpected++;
      }),
    );
    clearInterval(sampling);
    return [
      {
        what: `one check: the server ${costliest.name}`,
        value: costliest.ms,
        unit: 'ms CPU',
        max: MAX_MS_PER_CHECK,
      },
      {
        what: `longest of ${many.length} checks at once`,
        value: longest / 1_000,
        unit: 's',
        max: MAX_SECONDS,
      },
      {
        what: 'memory per running check',
        value: (most - before) / many.length / 2 ** 20,
        unit: 'MB',
        max: MAX_MB_PER_CHECK,
      },
      { what: 'unexpected results', value: unexpected, unit: 'checks', max: 0 },
      { what: 'errors that nobody handled', value: uncaught, unit: 'errors', max: 0 },
    ];
  } finally {
    process.off('uncaughtException', count).off('unhandledRejection', count);
    farm.kill();
  }
}

function outcomeOf(http: Observation['http']): string | undefined {
  return http?.outcome === 'failed' ? http.reason : http?.outcome;
}
