import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Call } from '../../contract/calls/call.ts';
import { CALLS } from '../../contract/calls/calls.ts';
import { PAGE_PATHS } from '../../contract/pages.ts';
import { type App, freePort, startApp } from '../../tests/kit/product/app.ts';
import { createFarmStore, spreadDue } from '../scale/farm-store.ts';
import { type Figure, percentile } from '../scale/figures.ts';

const say = (text: string): void => void process.stdout.write(`  ${text}\n`);

/** Bandwidth of the attacker in bytes per second. Stopping faster attackers is the task of a firewall. */
const BYTES_PER_SECOND = 30_000;
/** Length of long paths and headers, just below Node's limit for the headers of a request. */
const HEAD_BYTES = 15_000;
const BODY_BYTES = 60_000;
const PER_ROUTE_MS = 2_000;
const CALM_MS = 20_000;
/** Extra time in ms in which the last checks may end. */
const LAST_MS = 5_000;
const HEALTH_EVERY_MS = 40;
const MONITORS = 1_000;
const CHECKS_PER_SECOND = 5;
const MAX_MS = 250;
const MAX_RSS_GROWTH_MB = 60;
const MB = 1_000_000;
/** Names of the farm's hosts that always take three seconds for a handshake. */
const SLOW_HOST = /^h\d*77\./;

/** Texts whose repetition makes careless regular expressions backtrack. `ENDS` prevents a match at the end. */
const REPEATED = [
  '/',
  '.',
  '%2e',
  '%20',
  '-',
  '=',
  ',',
  ';',
  '%22',
  '%5C',
  'a',
  '0',
  'a@',
  'a.',
  '%5B',
  '%3Ca%20',
  '%EF%B7%BA',
];
const ENDS = ['', 'x', '/', '!'];
const OTHER_PATHS = [
  '/status/page',
  '/badge/x.svg',
  '/assets/x.js',
  '/dev/mail',
  '/metrics',
  '/api/docs',
  '/api/openapi.json',
];
/** Paths to attack with long headers: one of each kind, because all paths of a kind handle headers the same way. */
const WITH_HEADERS = ['/login', '/metrics', '/api/user/me', '/api/docs'];
const HEADERS = [
  'cookie',
  'authorization',
  'accept-language',
  'accept-encoding',
  'if-none-match',
  'user-agent',
  'origin',
  'referer',
];
const FIELDS = ['email', 'password', 'name', 'host', 'token', 'message', 'code', 'response'];

interface Attack {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/**
 * Measures how much an attacker with one connection and 30 kB/s against each public route slows down checks and
 * requests.
 */
export async function measureRoutes(): Promise<Figure[]> {
  const world = await createFarmStore('sqlite', { monitors: MONITORS, say, port: await freePort() });
  try {
    const routes = publicRoutes();
    // The attacker sends a new X-Forwarded-For address with each request, so that rate limits per address have no effect.
    const app = await startApp({ ...world.environment, TRUSTED_PROXIES: '127.0.0.1/32' });
    try {
      const worst = new Map<string, Attack>();
      for (const { name, attacks } of routes) worst.set(name, await worstOf(app, attacks));
      say(`found the slowest of ${routes.flatMap(({ attacks }) => attacks).length} requests, for each route`);
      const from = Date.now() + 3_000;
      const due = await spreadDue(world.store, { from, overMs: (MONITORS / CHECKS_PER_SECOND) * 1_000 });
      await delay(Math.max(0, from + 3_000 - Date.now()));
      const calmFrom = Date.now();
      const baseline = await healthWhile(app, delay(CALM_MS));
      const attackedFrom = Date.now();
      const rssBefore = rssOf(app);
      const all: number[] = [];
      let slowest = { route: '', p99: 0 };
      for (const [route, one] of worst) {
        const took = await healthWhile(app, attack(app, one, PER_ROUTE_MS));
        all.push(...took);
        const p99 = percentile(took, 0.99);
        if (p99 > slowest.p99) slowest = { route, p99 };
      }
      const attackedUntil = Date.now();
      const rssAfter = rssOf(app);
      await delay(LAST_MS);
      const rows = await world.store.db
        .selectFrom('monitors')
        .select(['id', 'host', 'last_checked_at'])
        .execute();
      const lagsBetween = (begin: number, end: number): number[] =>
        rows.flatMap(({ id, host, last_checked_at: checkedAt }) => {
          const dueAt = due.get(id) ?? 0;
          if (dueAt < begin || dueAt > end || SLOW_HOST.test(host)) return [];
          return [(checkedAt ?? 0) >= dueAt ? (checkedAt ?? 0) - dueAt : Date.now() - dueAt];
        });
      const calmLag = percentile(lagsBetween(calmFrom, attackedFrom), 0.99);
      const lags = lagsBetween(attackedFrom, attackedUntil);
      say(`slowest health answers under ${slowest.route}: ${Math.round(slowest.p99)} ms p99`);
      return [
        { what: 'routes attacked', value: routes.length, unit: '', min: 40 },
        { what: '/api/health before the attack, p99', value: percentile(baseline, 0.99), unit: 'ms' },
        { what: '/api/health during the attack, p99', value: percentile(all, 0.99), unit: 'ms', max: MAX_MS },
        { what: '/api/health, p99 of the worst route', value: slowest.p99, unit: 'ms', max: MAX_MS },
        { what: 'checks during the attack', value: lags.length, unit: '' },
        { what: 'lag of a check before the attack, p99', value: calmLag, unit: 'ms' },
        {
          what: 'increase of that p99 during the attack',
          value: percentile(lags, 0.99) - calmLag,
          unit: 'ms',
          max: MAX_MS,
        },
        {
          what: 'memory (RSS), growth',
          value: (rssAfter - rssBefore) / MB,
          unit: 'MB',
          max: MAX_RSS_GROWTH_MB,
        },
      ];
    } finally {
      await app.stop();
    }
  } finally {
    await world.remove();
  }
}

interface Route {
  name: string;
  attacks: Attack[];
}

/** Returns all public routes, each with requests that are expensive to handle. */
function publicRoutes(): Route[] {
  const calls = Object.entries(CALLS as Record<string, Call>);
  // Without a session, all `session` calls do the same: they read the cookies and answer 401. One of them is enough.
  const publicCalls = calls.filter(([name, { access }]) => access !== 'session' || name === 'currentUser');
  const routes: [method: string, path: string][] = [
    ...[...PAGE_PATHS, ...OTHER_PATHS].map((path): [string, string] => ['GET', path]),
    ...publicCalls.map(([, { method, path }]): [string, string] => [
      method.toUpperCase(),
      `/api${path.replaceAll(/\{\w+\}/g, 'x')}`,
    ]),
  ];
  const distinct = new Map(routes.map(([method, path]) => [`${method} ${path}`, { method, path }]));
  return [...distinct].map(([name, { method, path }]) => ({ name, attacks: attacksOn(method, path) }));
}

function attacksOn(method: string, path: string): Attack[] {
  const attacks: Attack[] = [];
  for (const text of REPEATED) {
    for (const end of ENDS) {
      attacks.push({ method, path: `${path}${filled(text, 1_900)}${end}` });
      attacks.push({ method, path: `${path}/${filled(text, HEAD_BYTES)}${end}` });
      const [long, short] = [filled(text, HEAD_BYTES - 4_000) + end, filled(text, 1_900) + end];
      attacks.push({ method, path: `${path}?q=${long}&next=${short}&sort=${short}` });
    }
    const plain = decodeURIComponent(text);
    if (WITH_HEADERS.includes(path)) {
      const value = filled(plain, HEAD_BYTES).replaceAll(/[^\x20-\x7e]/g, 'x');
      for (const name of HEADERS) attacks.push({ method, path, headers: { [name]: `${value}!` } });
    }
    if (method !== 'GET') {
      const field = filled(plain, BODY_BYTES / 8);
      attacks.push({
        method,
        path,
        body: JSON.stringify(Object.fromEntries(FIELDS.map((name) => [name, field]))),
      });
    }
  }
  if (method !== 'GET')
    for (const nested of ['[', '{"a":']) attacks.push({ method, path, body: filled(nested, BODY_BYTES) });
  return attacks;
}

const filled = (text: string, bytes: number): string => text.repeat(Math.floor(bytes / text.length));

/** Sends each request once, in sequence. Returns the request with the longest response time. */
async function worstOf(app: App, attacks: readonly Attack[]): Promise<Attack> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let worst = { attack: attacks[0] as Attack, tookMs: 0 };
  for (const [round, one] of attacks.entries()) {
    const from = performance.now();
    await send(app, agent, one, round);
    const tookMs = performance.now() - from;
    if (tookMs > worst.tookMs) worst = { attack: one, tookMs };
  }
  agent.destroy();
  return worst.attack;
}

/** Repeats a request over one connection for `forMs`, at the attacker's bandwidth. */
async function attack(app: App, chosen: Attack, forMs: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const from = Date.now();
  let sent = 0;
  for (let round = 0; Date.now() - from < forMs; round++) {
    sent += await send(app, agent, chosen, round);
    await delay(Math.max(0, (sent / BYTES_PER_SECOND) * 1_000 - (Date.now() - from)));
  }
  agent.destroy();
}

function send(
  app: App,
  agent: Agent,
  { method, path, headers, body = '' }: Attack,
  round: number,
): Promise<number> {
  const address = `100.${(round >> 12) & 63}.${(round >> 6) & 63}.${round & 63}`;
  const head = JSON.stringify(headers ?? {}).length + path.length + 200;
  return new Promise((resolve) => {
    const sending = request(
      `${app.url}/`,
      {
        method,
        path,
        agent,
        headers: {
          'content-type': 'application/json',
          'sec-fetch-site': 'same-origin',
          ...headers,
          'x-forwarded-for': address,
        },
      },
      (response) => void response.resume().on('close', () => resolve(head + body.length)),
    );
    // An error counts as a response, because the server may refuse a request by closing the connection.
    sending.on('error', () => resolve(head + body.length));
    sending.end(body);
  });
}

/** Requests a health route at a fixed rate until `work` is done. Returns the response times in ms. */
export async function healthWhile(
  app: App,
  work: Promise<unknown>,
  path = '/api/health/live',
): Promise<number[]> {
  const took: number[] = [];
  const ask = async (): Promise<void> => {
    const from = performance.now();
    await (await fetch(`${app.url}${path}`)).text();
    took.push(performance.now() - from);
  };
  const asked: Promise<void>[] = [];
  const timer = setInterval(() => asked.push(ask()), HEALTH_EVERY_MS);
  await work;
  clearInterval(timer);
  await Promise.all(asked);
  return took;
}

export function rssOf(app: App): number {
  return (
    Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${app.process.pid}/status`, 'utf8'))?.[1]) * 1_024
  );
}
