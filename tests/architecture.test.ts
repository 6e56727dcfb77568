import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ALERT_PROBLEMS, OPTIONAL_EVENTS } from '../contract/check-words.ts';
import { CHANNEL_KIND_NAMES, DOMAIN_STATES } from '../contract/words.ts';
import { type Import, importsOf, withoutComments } from '../scripts/house/imports.ts';
import { tablesWith } from '../server/store/schema/catalogue.ts';

const root = resolve(import.meta.dirname, '..');

/** The rooms whose exports each room may use. Files of one room may always use each other. ARCHITECTURE.md has the same table. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  contract: [],
  'server/pki': [],
  'server/core': ['server/pki'],
  'server/egress': [],
  'server/probe': ['server/core', 'server/pki', 'server/egress'],
  'server/channels': ['server/core', 'server/egress', 'contract'],
  'server/providers': ['server/egress'],
  'server/store': ['server/core', 'server/pki'],
  'server/telemetry': [],
  'server/worker': [
    'server/core',
    'server/pki',
    'server/probe',
    'server/store',
    'server/channels',
    'server/telemetry',
  ],
  'server/api': [
    'contract',
    'server/channels',
    'server/core',
    'server/store',
    'server/providers',
    'server/telemetry',
  ],
  server: [
    'contract',
    'server/api',
    'server/channels',
    'server/core',
    'server/egress',
    'server/pki',
    'server/probe',
    'server/providers',
    'server/store',
    'server/telemetry',
    'server/worker',
  ],
  'web/ui': ['contract', 'web/lib'],
  'web/lib': ['contract'],
  'web/domain': ['contract', 'web/lib', 'web/ui'],
  'web/features/*': ['contract', 'web/domain', 'web/lib', 'web/ui'],
  'web/app': ['contract', 'web/domain', 'web/features/*', 'web/lib', 'web/ui'],
  'web/build': ['contract', 'web/app'],
};

/** Files of constants, words and spans of time that every room may import. */
const CONSTANTS = [
  'contract/check-words.ts',
  'contract/durations.ts',
  'contract/protocols.ts',
  'contract/calls/list-order.ts',
  'contract/state/schedule.ts',
  'contract/words.ts',
];

/** Packages that only these rooms may use; other packages are open to every room that is not pure. */
const PACKAGE_ROOMS: Record<string, readonly string[]> = {
  kysely: ['server/store'],
  pg: ['server/store'],
  'node:sqlite': ['server/store', 'server'],
  'better-auth': ['server/providers'],
  'openid-client': ['server/providers'],
  '@paddle/paddle-node-sdk': ['server/providers'],
  nodemailer: ['server/channels'],
  pino: ['server/telemetry'],
  firebase: ['web/features/session'],
  'node:tls': ['server/egress', 'server/probe'],
  'node:dns': ['server/egress'],
  dns2: ['server/egress'],
  'node:net': ['server/egress', 'server/probe', 'server/api', 'server'],
};

/** Packages with many modules that most deployments never need. They are loaded on demand, not at startup. */
const LATE_PACKAGES = ['@paddle/paddle-node-sdk'];

/** Pure rooms: no I/O, clock, randomness or async. Each has the list of the only outside modules that it may import. */
const PURE_ROOMS: Record<string, readonly string[]> = {
  'server/pki': ['node:crypto'],
  'server/core': ['node:url', 'tldts'],
  contract: ['zod'],
};
const IMPURE =
  /\b(?:Date\.now|new Date\(\)|performance\.|Math\.random|randomUUID|randomBytes|getRandomValues|process\.|fetch\(|setTimeout|setInterval|setImmediate|async |await |Promise\b)/;

/** Modules that open connections. */
const SENDING = /^server\/egress\/|^nodemailer$|^imapflow$|^node:(?:net|tls|dns|dgram|https?)$/;

/** The project's folders, except hidden ones. A new folder needs a line here and one in ARCHITECTURE.md. */
const FOLDERS = ['bench', 'contract', 'deploy', 'docs', 'findings', 'scripts', 'server', 'tests', 'web'];

const DIRECT_WRITE = /\bdb\s*\.(insertInto|updateTable|deleteFrom)\(\s*'?(\w+)/g;
/**
 * Writes to account tables outside a transaction. Most of them are made by the worker's loops; requests may make the others
 * without a session.
 */
const DIRECT_WRITES = [
  'heartbeat.ts deleteFrom accounts',
  ...['check-due', 'favicons', 'monitor-claims'].map((file) => `${file}.ts updateTable monitors`),
  'outbox.ts updateTable asTable',
  // Records when a token was last used, as does the next line for other secrets.
  'api-tokens.ts updateTable api_tokens',
  'calendar-feeds.ts updateTable calendar_feeds',
  // The call that claimed the row of an idempotency key releases it when the call is refused.
  ...['insertInto', 'updateTable', 'deleteFrom'].map((verb) => `idempotency.ts ${verb} idempotency_keys`),
  // Anybody with a session may renew or end it.
  ...['updateTable', 'deleteFrom'].map((verb) => `sessions.ts ${verb} sessions`),
  ...['updateTable', 'deleteFrom'].map((verb) => `sweep.ts ${verb} table`),
  ...['insertInto', 'updateTable', 'deleteFrom'].map((verb) => `forecasts.ts ${verb} forecasts`),
];

const isSource = (path: string) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts');
const isTest = (path: string) => /\.test\.tsx?$/.test(path);
function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder)).flatMap((name) => {
    if (name === 'node_modules') return [];
    const path = `${folder}/${name}`;
    return statSync(join(root, path)).isDirectory() ? filesBelow(path) : [path];
  });
}

function roomOf(path: string): string {
  const [top = '', second = '', third = ''] = path.split('/');
  if (top === 'server') return path.split('/').length > 2 ? `server/${second}` : 'server';
  if (top === 'web' && second === 'features') return `web/features/${third}`;
  if (top === 'web') return path.split('/').length > 2 ? `web/${second}` : 'web';
  return top;
}

const rule = (room: string) => (room.startsWith('web/features/') ? 'web/features/*' : room);

const sources = ['contract', 'server', 'web']
  .flatMap(filesBelow)
  .filter((path) => isSource(path) && !isTest(path));
const imports = sources.flatMap(importsOf);
const isLocal = (entry: Import) => /^(?:contract|server|web|tests|scripts|bench)(?:\/|$)/.test(entry.to);

describe('Rooms', () => {
  it("each have an entry in this test's import table", () => {
    const rooms = new Set(sources.map((path) => rule(roomOf(path))));
    const known = new Set([...Object.keys(MAY_IMPORT), 'web']);
    expect([...rooms].filter((room) => !known.has(room))).toEqual([]);
    const folders = readdirSync(root).filter(
      (name) => name[0] !== '.' && statSync(join(root, name)).isDirectory(),
    );
    const generated = ['node_modules', 'dist', 'data', 'test-results', 'screenshots'];
    expect(folders.filter((name) => !FOLDERS.includes(name) && !generated.includes(name))).toEqual([]);
  });

  it("import only what this test's table allows", () => {
    const wrong = imports.filter((entry) => {
      if (!isLocal(entry) || CONSTANTS.includes(entry.to)) return false;
      const from = roomOf(entry.from);
      const to = roomOf(entry.to);
      if (from === to) return false;
      return !(MAY_IMPORT[rule(from)] ?? []).includes(rule(to));
    });
    expect(wrong).toEqual([]);
  });

  it('have no import cycles between rooms', () => {
    const edges = new Map<string, Set<string>>();
    for (const { from, to } of imports.filter(isLocal)) {
      if (CONSTANTS.includes(to)) continue;
      if (roomOf(from) === roomOf(to)) continue;
      edges.set(roomOf(from), (edges.get(roomOf(from)) ?? new Set()).add(roomOf(to)));
    }
    expect(cycleIn(edges)).toBeNull();
  });

  it('export no names of other files, except what the API may use of the channels', () => {
    const reexports = imports.filter((entry) => entry.isReexport && isLocal(entry));
    expect([...new Set(reexports.map(({ from }) => from))]).toEqual(['server/channels/kinds/index.ts']);
  });

  it('let the API use of alert channels only definitions, and nothing that opens connections', () => {
    const used = imports.filter(
      ({ from, to }) => roomOf(from) === 'server/api' && roomOf(to) === 'server/channels',
    );
    expect([...new Set(used.map(({ to }) => to))]).toEqual(['server/channels/kinds/index.ts']);
    expect([...loadedBy('server/channels/kinds/index.ts')].filter((file) => SENDING.test(file))).toEqual([]);
  });

  it('use only the packages that they are allowed to use', () => {
    const wrong = imports.filter((entry) => {
      const rooms = PACKAGE_ROOMS[entry.to];
      return !entry.typeOnly && rooms !== undefined && !rooms.includes(roomOf(entry.from));
    });
    expect(wrong).toEqual([]);
  });

  it('load no rarely needed packages at startup, and better-auth only for the API', () => {
    const api = loadedBy('server/start-api.ts');
    expect(api).toContain('better-auth');
    expect(LATE_PACKAGES.filter((name) => api.has(name))).toEqual([]);
    for (const file of ['server/main.ts', 'server/start-worker.ts'])
      expect(['kysely', 'better-auth'].filter((name) => loadedBy(file).has(name))).toEqual(['kysely']);
  });
});

describe('Pure rooms', () => {
  it('import no modules with side effects', () => {
    const wrong = imports.filter((entry) => {
      const allowed = PURE_ROOMS[roomOf(entry.from)];
      return allowed !== undefined && !isLocal(entry) && !allowed.includes(entry.to);
    });
    expect(wrong).toEqual([]);
  });

  it('use no clock, randomness, process or async code', () => {
    const wrong = sources
      .filter((path) => roomOf(path) in PURE_ROOMS)
      .flatMap((path) => {
        const code = withoutComments(readFileSync(join(root, path), 'utf8')).replaceAll(
          /'[^'\n]*'|`[^`]*`/g,
          "''",
        );
        const found = IMPURE.exec(code);
        return found ? [`${path}: ${found[0]}`] : [];
      });
    expect(wrong).toEqual([]);
  });
});

describe('Source files', () => {
  it('have kebab-case names without utils, helper or manager', () => {
    const wrong = sources.filter((path) => {
      const name = path.split('/').at(-1) ?? '';
      return (
        !/^[a-z0-9-]+(?:\.[a-z]+)?\.tsx?$/.test(name) ||
        /(?:^|-)(?:utils?|helpers?|common|misc|manager|service|base)\b/.test(name)
      );
    });
    expect(wrong).toEqual([]);
  });

  it('have at most 400 lines', () => {
    const every = [...sources, ...['tests', 'bench', 'scripts'].flatMap(filesBelow)].filter(isSource);
    expect(every.filter((path) => readFileSync(join(root, path), 'utf8').split('\n').length > 401)).toEqual(
      [],
    );
  });

  it('spell each vocabulary only in contract/words.ts or contract/check-words.ts', () => {
    const spelled = [ALERT_PROBLEMS, CHANNEL_KIND_NAMES, DOMAIN_STATES, OPTIONAL_EVENTS].map((words) =>
      words
        .slice(0, 3)
        .map((word) => `'${word}'`)
        .join(',\\s*'),
    );
    const again = sources.filter(
      (path) =>
        !path.includes('/migrations/') &&
        spelled.some((words) => new RegExp(words).test(readFileSync(join(root, path), 'utf8'))),
    );
    expect(again.toSorted()).toEqual(['contract/check-words.ts', 'contract/words.ts']);
  });

  it('name durations only in contract/durations.ts', () => {
    const own = sources.filter(
      (path) =>
        !path.includes('/migrations/') &&
        /\b(?:3_600_000|86_400_000|604_800_000)\b/.test(readFileSync(join(root, path), 'utf8')),
    );
    expect(own).toEqual(['contract/durations.ts']);
  });

  it('write each date in a sentence of a check with its time, so that pages can put it in their time zone', () => {
    const datesAlone = sources.filter(
      (path) =>
        path.startsWith('server/core/') &&
        /(?<!function )\blongDate\(/.test(withoutComments(readFileSync(join(root, path), 'utf8'))),
    );
    // Titles of alerts are dates alone where the caller gives the time zone of their reader.
    expect(datesAlone).toEqual(['server/core/alerting/alert-title.ts']);
  });

  it('read the environment only in server/config.ts', () => {
    const readers = sources.filter((path) =>
      /process\.env\b/.test(withoutComments(readFileSync(join(root, path), 'utf8'))),
    );
    expect(readers).toEqual(['server/config.ts']);
  });

  it('read from a replica only where data may be a few seconds old', () => {
    const readers = sources.filter((path) =>
      /\bonReplica\(|\.replica\b/.test(withoutComments(readFileSync(join(root, path), 'utf8'))),
    );
    // Downloads, calendars, metrics and public pages. Data that decides something is never read there: quotas, leases,
    // sessions, sent messages.
    expect(readers.toSorted()).toEqual([
      'server/api/auth/export-routes.ts',
      'server/api/domains/certificate-routes.ts',
      'server/api/domains/deadline-routes.ts',
      'server/api/domains/domain-list-routes.ts',
      'server/api/operations/account-metrics-routes.ts',
      'server/api/publishing/status-routes.ts',
      'server/store/db/replica.ts',
      'server/store/publishing/calendar-feeds.ts',
    ]);
  });

  it('write account data in transactions, except for the listed direct writes', () => {
    const isOfAccounts = (table: string) => tablesWith('newOwner').some(([name]) => name === table);
    const found = sources
      .filter((path) => /^server\/store\/[^/]+\/[^/]+$/.test(path))
      .flatMap((path) => {
        const writes = withoutComments(readFileSync(join(root, path), 'utf8')).matchAll(DIRECT_WRITE);
        return [...writes].map(([, verb, table = '']) => ({ path, verb, table }));
      })
      .filter(({ table }) => isOfAccounts(table) || !/^[a-z_]+$/.test(table) || table === 'table')
      .map(({ path, verb, table }) => `${path.split('/').at(-1)} ${verb} ${table}`);
    expect([...new Set(found)].toSorted()).toEqual(DIRECT_WRITES.toSorted());
  });

  it('contain SQL only in server/store', () => {
    const sql = /\b(?:SELECT\s.+\sFROM|INSERT\s+INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM)\s/;
    const wrong = sources.filter(
      (path) =>
        roomOf(path) !== 'server/store' && sql.test(withoutComments(readFileSync(join(root, path), 'utf8'))),
    );
    expect(wrong).toEqual([]);
  });

  it('disable certificate verification only in the probe and for mail servers on this machine', () => {
    const deciding = sources.filter(
      (path) =>
        roomOf(path) !== 'server/probe' &&
        /\brejectUnauthorized\b(?!: true\b)/.test(readFileSync(join(root, path), 'utf8')),
    );
    expect(deciding).toEqual(['server/channels/email/mail-server-tls.ts']);
  });
});

it('Every folder in the tree of ARCHITECTURE.md exists and is listed once', () => {
  const [, tree = ''] =
    /## The shape[^]*?```\n([^]*?)```/.exec(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')) ?? [];
  let parent = '';
  const listed = tree.split('\n').flatMap((line) => {
    const [, indent = '', name] = /^( {0,2})([a-z][\w.-]*\/?)(?:\s|$)/.exec(line) ?? [];
    if (name === undefined) return [];
    if (indent === '') parent = name;
    return [indent === '' ? name : parent + name];
  });
  expect(listed).toContain('web/build/');
  expect(listed.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  expect(listed.filter((path, index) => listed.indexOf(path) !== index)).toEqual([]);
});

/** Returns the files and packages that a file loads when it is imported, including itself. */
function loadedBy(start: string): Set<string> {
  const loaded = new Set([start]);
  for (const file of loaded)
    for (const { from, to, typeOnly, isDynamic } of imports)
      if (from === file && !typeOnly && !isDynamic) loaded.add(to);
  return loaded;
}

it('ARCHITECTURE.md names only files that exist', () => {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const named = Array.from(
    text.matchAll(/`([a-z][\w./-]*\/[\w.-]+\.(?:ts|tsx|md|tsv))`/g),
    ([, path = '']) => path,
  );
  expect(named.length).toBeGreaterThan(40);
  // Paths of two sections start in server/.
  const isThere = (path: string) => existsSync(join(root, path)) || existsSync(join(root, 'server', path));
  expect(named.filter((path) => !isThere(path))).toEqual([]);
});

function cycleIn(edges: ReadonlyMap<string, ReadonlySet<string>>): string[] | null {
  const done = new Set<string>();
  const visit = (node: string, trail: string[]): string[] | null => {
    if (trail.includes(node)) return [...trail.slice(trail.indexOf(node)), node];
    if (done.has(node)) return null;
    for (const next of edges.get(node) ?? []) {
      const found = visit(next, [...trail, node]);
      if (found) return found;
    }
    done.add(node);
    return null;
  };
  for (const node of edges.keys()) {
    const found = visit(node, []);
    if (found) return found;
  }
  return null;
}
