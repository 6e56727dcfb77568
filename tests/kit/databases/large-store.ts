import { lowerIssuer } from '../../../server/store/checks/certificates.ts';
import { createHash, randomUUID } from 'node:crypto';
import { type Insertable, sql } from 'kysely';
import type { CertificateFacts } from '../../../server/core/facts.ts';
import type { Store } from '../../../server/store/db/open-store.ts';
import { searchText } from '../../../server/store/monitors/monitor-row.ts';
import type { Tables } from '../../../server/store/schema/tables.ts';
import { insertMonitors, insertRows } from './insert-rows.ts';
import { DAY_MS, MINUTE_MS } from '../../../contract/durations.ts';

/** Sizes of the accounts. */
export interface Population {
  /** Number of monitors of the largest account. */
  largest: number;
  /** Number of accounts with 5,000 monitors each. */
  teams: number;
  /** Number of monitors in total. All others belong to people with 1 to 49 monitors each. */
  total: number;
}

export interface PopulatedStore {
  /** Account ids. */
  largest: string;
  team: string | null;
  small: string | null;
  accounts: number;
  total: number;
}

export interface FillOptions extends Population {
  now: number;
  /** Monitors are due evenly over this time from `now`; by default none is due within a day. */
  dueOverMs?: number;
  /** An existing account that gets the monitors of the largest one. */
  owner?: string;
  /** Check interval of the monitors; by default 15. */
  everyMinutes?: number;
  /** Returns the https endpoint of a monitor by its number in its account; by default a name that does not resolve, port 443. */
  endpointOf?: (index: number) => { host: string; port: number };
  onProgress?: (done: number) => void;
}

const TEAM = 5_000;
const AT_ONCE = 2_000;

/** Inserts checked monitors, spread over accounts as in a real service: many small ones, few large ones. */
export async function fillStore(store: Store, options: FillOptions): Promise<PopulatedStore> {
  const sizes = sizesOf(options);
  const ids = sizes.map((_, place) => (place === 0 ? options.owner : undefined) ?? randomUUID());
  const made = ids.filter((id) => id !== options.owner);
  for (let from = 0; from < made.length; from += AT_ONCE)
    await insertRows(
      store,
      'accounts',
      made.slice(from, from + AT_ONCE).map((id) => accountOf(id, options.now)),
    );
  let waiting: { accountId: string; index: number }[] = [];
  let done = 0;
  const flush = async (): Promise<void> => {
    if (waiting.length === 0) return;
    const rows = waiting.map(({ accountId, index }, place) =>
      rowsOf(accountId, index, done + place, options),
    );
    await insertRows(
      store,
      'certificates',
      rows.map(({ certificate }) => certificate),
    );
    await insertMonitors(
      store,
      rows.map(({ monitor }) => monitor),
    );
    done += waiting.length;
    waiting = [];
    options.onProgress?.(done);
  };
  for (const [place, accountId] of ids.entries())
    for (let index = 0; index < (sizes[place] ?? 0); index++)
      if (waiting.push({ accountId, index }) === AT_ONCE) await flush();
  await flush();
  // PostgreSQL would otherwise vacuum by itself within a minute.
  await sql.raw(store.dialect === 'postgres' ? 'vacuum analyze' : 'analyze').execute(store.db);
  return {
    largest: ids[0] ?? '',
    team: options.teams > 0 ? (ids[1] ?? null) : null,
    small: ids[1 + options.teams] ?? null,
    accounts: ids.length,
    total: done,
  };
}

function sizesOf({ largest, teams, total }: Population): number[] {
  const sizes = [largest, ...Array<number>(teams).fill(TEAM)];
  for (let left = total - largest - teams * TEAM; left > 0;) {
    const size = Math.min(left, 1 + ((sizes.length * 31) % 49));
    sizes.push(size);
    left -= size;
  }
  return sizes;
}

function accountOf(id: string, now: number): Insertable<Tables['accounts']> {
  return {
    id,
    email: `${id}@scale.test`,
    email_verified: 1,
    full_name: 'Somebody',
    paddle_id: '',
    company_name: '',
    plan: 'premium',
    plan_status: 'active',
    plan_source: 'grant',
    plan_ends_at: null,
    granted_at: now,
    grant_ends_at: null,
    kind: 'person',
    created_at: now - 30 * DAY_MS,
  };
}

const KINDS = ['shop', 'api', 'mail', 'www', 'cdn', 'login', 'status', 'vpn', 'git', 'files'];
const PLACES = ['fjord', 'moss', 'orchard', 'harbour', 'meadow', 'granite', 'willow'];
const TAGS = ['prod', 'staging', 'customer-a', 'customer-b', 'eu', 'us', 'legacy'];
/** Days left of the certificates, repeated for all monitors: in every fifty, a few are expired or expire soon. */
const DAYS_LEFT = [-3, 2, 6, 11, ...Array.from({ length: 46 }, (_, index) => 20 + ((index * 37) % 160))];

const pick = <T>(from: readonly T[], index: number): T => from[index % from.length] as T;

/**
 * Returns `shop-0000123.fjord.example`: names like those of a hosting provider, with words shared by many and unique numbers.
 */
function hostOf(index: number): string {
  return `${pick(KINDS, index)}-${String(index).padStart(7, '0')}.${pick(PLACES, index * 13)}.example`;
}

function rowsOf(accountId: string, index: number, place: number, options: FillOptions) {
  const { now, dueOverMs, everyMinutes = 15 } = options;
  const { host, port } = options.endpointOf?.(index) ?? { host: hostOf(index), port: 443 };
  // A fraction from 0 to 1. The fractions are spread evenly, however many monitors are inserted.
  const fraction = (place * 0.618_033_988_749) % 1;
  const notAfter = Math.floor(now + (pick(DAYS_LEFT, index * 7) + fraction) * DAY_MS);
  const fingerprint = createHash('sha256').update(`${accountId} ${host}`).digest('hex');
  const facts: CertificateFacts = {
    fingerprint,
    serialNumber: index.toString(16).padStart(32, '0'),
    issuer: 'R13',
    subject: host,
    notBefore: notAfter - 90 * DAY_MS,
    notAfter,
    authorityName: 'Let’s Encrypt',
    authorityFullDn: 'CN=R13,O=Let’s Encrypt,C=US',
    authorityUrl: null,
    sans: [host],
  };
  const tags = index % 3 === 0 ? [pick(TAGS, index), pick(TAGS, index * 5 + 1)].filter(isFirst) : [];
  const notes = index % 20 === 0 ? 'Renewed by the platform team, see the runbook.' : '';
  const isPaused = index % 97 === 96;
  const isDown = index % 211 === 210;
  const certificate: Insertable<Tables['certificates']> = {
    fingerprint,
    der: Buffer.from(fingerprint, 'hex'),
    facts: JSON.stringify(facts),
    first_seen_at: now - DAY_MS,
    issuer_line: lowerIssuer(facts),
  };
  const monitor: Insertable<Tables['monitors']> = {
    id: randomUUID(),
    account_id: accountId,
    host,
    port,
    protocol: 'https',
    check_every_minutes: everyMinutes,
    created_at: now - 30 * DAY_MS + place,
    next_check_at: Math.floor(dueOverMs === undefined ? now + 2 * DAY_MS : now + fraction * dueOverMs),
    last_checked_at: now - MINUTE_MS,
    checked: 1,
    last_read_at: now - MINUTE_MS,
    certificate_fingerprint: fingerprint,
    not_after: notAfter,
    revoked: index % 2_003 === 2_002 ? 1 : 0,
    uptime: isDown ? 'down' : 'up',
    uptime_since: now - 30 * DAY_MS,
    response_ms: 40 + (index % 60),
    recent_checks: isDown ? `${'u'.repeat(87)}ddd` : 'u'.repeat(90),
    active: isPaused ? 0 : 1,
    paused_by: isPaused ? 'user' : null,
    notes,
    tags: JSON.stringify(tags),
    search_text: searchText({ host, port, notes, tags }),
  };
  return { certificate, monitor };
}

const isFirst = <T>(value: T, index: number, all: readonly T[]): boolean => all.indexOf(value) === index;
