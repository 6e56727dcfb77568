import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { STANDARD_LIMITS } from '../../server/core/limits.ts';
import { createOperatorApp } from '../../server/api/operations/operator-app.ts';
import { metricsOnly } from '../../server/telemetry/metrics.ts';
import { createReadiness } from '../../server/telemetry/readiness.ts';
import { freshStore } from '../kit/databases/database.ts';
import { signUp } from '../kit/product/people.ts';
import { SECRETS, startApi } from './test-api.ts';
import { promise } from '../security/promise.ts';

/** No test here depends on the database. */
const open = () => freshStore('sqlite');
const MAIL = `/dev/mail?key=${SECRETS.mailPage}`;
type Overrides = NonNullable<Parameters<typeof startApi>[1]>;

/** Starts a deployment that stores its mail, and signs somebody in on the same machine. `seen` returns what this person may see. */
async function atThisMachine(config: Overrides['config'] = {}) {
  const warnings: unknown[][] = [];
  const log = { info() {}, error: console.error, warn: (...entry: unknown[]) => void warnings.push(entry) };
  const api = await startApi(open, { log, mailFolder: '/nonexistent', config });
  const alice = await signUp(api.sendFrom('127.0.0.1'), { name: 'Alice' });
  const seen = async () => ({
    metrics: (await api.sendFrom('127.0.0.1')('/metrics', {})).status === 200,
    mail: (await api.sendFrom('127.0.0.1')(MAIL, {})).status === 200,
    key: (await alice.ask(CALLS.standing)).ok.data.mail_page === MAIL,
  });
  return { api, seen, warnings };
}
const EVERYTHING = { metrics: true, mail: true, key: true };
const NOTHING = { metrics: false, mail: false, key: false };

const SHOWS_A_PROXY: Record<string, string>[] = [
  { 'x-forwarded-for': '198.51.100.7' },
  { 'x-forwarded-proto': 'https' },
  { 'x-forwarded-server': 'proxy' },
  { forwarded: 'for=198.51.100.7' },
  { 'x-real-ip': '198.51.100.7' },
  { via: '1.1 proxy' },
  { 'cf-connecting-ip': '198.51.100.7' },
  { origin: 'https://certs.example.com' },
  { origin: 'http://localhost:9999' },
  { origin: 'null' },
];

it.each(SHOWS_A_PROXY)(
  'One loopback request with the header %j ends loopback access to metrics and the mail page',
  async (headers) => {
    const { api, seen, warnings } = await atThisMachine();
    expect(await seen()).toEqual(EVERYTHING);
    // The answer does not matter: it may be a page, a refused call, or an error about a path that is too long.
    await api.sendFrom('::1')('/'.padEnd(5_000, 'x'), { headers });
    expect(await seen()).toEqual(NOTHING);
    await api.sendFrom('127.0.0.1')('/api/config', { headers });
    expect(await seen()).toEqual(NOTHING);
    const [name] = Object.keys(headers);
    expect(warnings).toEqual([[{ header: name }, expect.stringContaining('Until a restart')]]);
    promise('loopback');
  },
);

it.each(['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080'])(
  'A request from the product’s own page at %s does not end loopback access to metrics and the mail page',
  async (origin) => {
    const { api, seen } = await atThisMachine();
    await api.sendFrom('127.0.0.1')('/api/auth/logout', { method: 'POST', headers: { origin } });
    expect(await seen()).toEqual(EVERYTHING);
  },
);

it('A request from a page of `npm run dev` does not end loopback access to metrics and the mail page', async () => {
  const pages = new URL('http://localhost:5173');
  const { api, seen } = await atThisMachine({ publicUrl: pages, publicUrlIsDefault: false });
  const headers = { origin: pages.origin, host: pages.host };
  await api.sendFrom('127.0.0.1')('/api/auth/logout', { method: 'POST', headers });
  expect(await seen()).toEqual(EVERYTHING);
});

it('Proxy headers from another machine do not end loopback access to metrics and the mail page', async () => {
  const { api, seen, warnings } = await atThisMachine();
  for (const headers of SHOWS_A_PROXY) await api.sendFrom('198.51.100.7')('/', { headers });
  expect(await seen()).toEqual(EVERYTHING);
  expect(warnings).toEqual([]);
});

it('Proxy headers from loopback cause no warning if PUBLIC_URL names another host, because loopback then has no special access', async () => {
  const warnings: unknown[] = [];
  const log = { info() {}, error: console.error, warn: (...entry: unknown[]) => void warnings.push(entry) };
  const publicUrl = new URL('https://certs.example.com');
  const api = await startApi(open, { log, config: { publicUrl, publicUrlIsDefault: false } });
  await api.sendFrom('127.0.0.1')('/', { headers: { via: '1.1 proxy' } });
  expect(warnings).toEqual([]);
});

it('A worker process hides its metrics from loopback after one loopback request with a proxy header', async () => {
  const app = createOperatorApp({
    store: await open(),
    readiness: createReadiness(),
    telemetry: metricsOnly(),
    clock: { now: () => Date.now() },
    log: { info() {}, warn() {}, error() {} },
    config: {
      metricsToken: null,
      publicUrl: new URL('http://localhost:8080'),
      publicUrlIsDefault: true,
      insecureHttp: false,
      trustedProxies: [],
      limits: STANDARD_LIMITS,
    },
  });
  const status = async (path: string, headers: Record<string, string> = {}) => {
    const incoming = { socket: { remoteAddress: '127.0.0.1' } };
    return (await app.request(`http://localhost:8081${path}`, { headers }, { incoming })).status;
  };
  expect(await status('/metrics')).toBe(200);
  expect(await status('/api/health', { 'x-forwarded-for': '198.51.100.7' })).toBe(200);
  expect(await status('/metrics')).toBe(404);
  expect(await status('/'.padEnd(5_000, 'x'))).toBe(414);
});
