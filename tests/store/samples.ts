import { createHash, randomBytes } from 'node:crypto';
import { expectedRenewal, renewalOverdueAt } from '../../server/core/alert-steps.ts';
import type { CertificateFacts } from '../../server/core/facts.ts';
import type { Finding } from '../../server/core/finding.ts';
import type { Observation } from '../../server/core/observation.ts';
import type {
  ExpiringCertificate,
  PostureVerdict,
  RevokedCertificate,
  Verdict,
} from '../../server/core/verdict.ts';
import type { Account } from '../../server/store/accounts/accounts.ts';
import { openAccount } from '../../server/store/accounts/sign-in.ts';
import { type CheckLease, type CheckRecord, saveCheck } from '../../server/store/checks/checks.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { HANDSHAKES_ONLY, MODERN_TLS, UNASKED } from '../kit/product/observation.ts';
import type { Monitor } from '../../server/store/monitors/monitor-row.ts';
import { addMonitor } from '../../server/store/monitors/monitor-adding.ts';
import { claimDue, type ClaimedMonitor } from '../../server/store/monitors/monitor-claims.ts';

export const NOW = Date.UTC(2026, 0, 15);
export const MINUTE = 60_000;
export const DAY = 86_400_000;

/** A posture that found nothing. */
export const POSTURE: PostureVerdict = {
  at: NOW,
  tlsVersions: [],
  postQuantum: { state: 'unknown', group: null },
  caa: { outcome: 'none' },
  registration: { outcome: 'not_applicable' },
  alternates: [],
  untestedKeyTypes: [],
  findings: [],
};

/** A certificate as the store sees it: its bytes, which the store never parses, and the facts about it. */
export interface SampleCertificate {
  der: Uint8Array;
  facts: CertificateFacts;
}

export function certificate(change: Partial<CertificateFacts> = {}): SampleCertificate {
  const der = new Uint8Array(randomBytes(64));
  const facts = {
    fingerprint: createHash('sha256').update(der).digest('hex'),
    serialNumber: '01',
    issuer: 'R10',
    subject: 'www.example.org',
    notBefore: NOW - 30 * DAY,
    notAfter: NOW + 60 * DAY,
    authorityName: 'Let’s Encrypt',
    authorityFullDn: 'CN=R10,O=Let’s Encrypt,C=US',
    authorityUrl: null,
    sans: ['www.example.org', 'example.org'],
    ...change,
  };
  return { der, facts };
}

export async function person(store: Store, name: string, { emailVerified = true } = {}): Promise<Account> {
  const opened = await openAccount(store, {
    issuer: 'https://certs.example',
    subject: `${name} at the provider`,
    email: `${name}@example.com`,
    emailVerified,
    name,
    company: null,
    now: NOW,
  });
  if (!opened.ok) throw new Error(opened.code);
  return opened.account;
}

export async function watch(
  store: Store,
  accountId: string,
  host: string,
  change: { now?: number; port?: number; target?: string } = {},
): Promise<Monitor> {
  const added = await addMonitor(store, {
    accountId,
    host,
    port: change.port ?? 443,
    ...(change.target !== undefined && { target: change.target }),
    protocol: 'https',
    checkEveryMinutes: 1440,
    now: change.now ?? NOW,
    mayAdd: () => true,
  });
  if (!added.ok) throw new Error(added.code);
  return added.monitor;
}

export async function claimOne(store: Store, now: number): Promise<ClaimedMonitor> {
  const [claimed] = await claimDue(store, { now, limit: 1, leaseMs: 30_000, claimedBy: 'test' });
  if (!claimed) throw new Error('Nothing was due');
  return claimed;
}

/** Returns a certificate that ends five days after NOW. A check that sees it causes an alert, and another one two days later. */
export function endingSoon(change: Partial<CertificateFacts> = {}): SampleCertificate {
  return certificate({ notBefore: NOW - 85 * DAY, notAfter: NOW + 5 * DAY, ...change });
}

/** A check to record. `nextCheckAt` is when the next one is due, whatever the result. */
export interface SampleCheck extends CheckRecord {
  lease: CheckLease;
  nextCheckAt: number;
}

interface CheckChange extends Partial<CheckRecord> {
  findings?: Finding[];
  trusted?: boolean;
  revoked?: RevokedCertificate[];
  /** True if the check found a path to a public root. */
  isPublic?: boolean;
  nextCheckAt?: number;
}

/** Returns what a check of an endpoint with one address writes. An empty chain means that nobody answered. */
export function checkOf(
  claimed: ClaimedMonitor,
  now: number,
  chain: readonly SampleCertificate[],
  change: CheckChange = {},
): SampleCheck {
  const { findings = [], trusted = chain.length > 0, revoked = [], isPublic, nextCheckAt, ...rest } = change;
  const verdict = verdictOf(now, chain, { findings, trusted, revoked });
  const [leaf] = isPublic === true ? chain : [];
  const path = leaf ? [{ ...expiringOf(leaf.facts), source: 'sent' as const }] : [];
  return {
    lease: leaseOf(claimed),
    now,
    observation: observationOf(claimed, now, chain),
    verdict: { ...verdict, path },
    certificates: chain,
    jitter: 0,
    nextCheckAt: nextCheckAt ?? now + DAY,
    ...rest,
  };
}

/** Claims the monitor that has been due the longest, and records a check of it. */
export async function check(
  store: Store,
  now: number,
  chain: readonly SampleCertificate[],
  change: Parameters<typeof checkOf>[3] = {},
): Promise<ClaimedMonitor> {
  const claimed = await claimOne(store, now);
  await recordCheck(store, checkOf(claimed, now, chain, change));
  return claimed;
}

/** Records a check of an endpoint that has one address for each certificate. The first certificate is its current one. */
export async function checkAddresses(
  store: Store,
  now: number,
  leaves: readonly [SampleCertificate, ...SampleCertificate[]],
  change: CheckChange = {},
): Promise<ClaimedMonitor> {
  const claimed = await claimOne(store, now);
  const made = checkOf(claimed, now, [leaves[0]], change);
  const { observation, verdict } = made;
  const each = <Seen>(seen: readonly Seen[], own: (leaf: SampleCertificate) => Partial<Seen>): Seen[] =>
    leaves.flatMap((leaf, index) =>
      seen.map((one) => ({ ...one, address: `192.0.2.${index + 1}`, ...own(leaf) })),
    );
  await recordCheck(store, {
    ...made,
    certificates: leaves,
    observation: {
      ...observation,
      addresses: each(observation.addresses, ({ der }) => ({ presentedChain: [der] })),
    },
    verdict: {
      ...verdict,
      addresses: each(verdict.addresses, ({ facts: { fingerprint, notAfter } }) => ({
        fingerprint,
        notAfter,
      })),
      lastSeen: verdict.lastSeen && {
        ...verdict.lastSeen,
        expiring: leaves.map(({ facts }) => expiringOf(facts)),
      },
    },
  });
  return claimed;
}

export const leaseOf = ({ accountId, id, leaseToken, checkEveryMinutes }: ClaimedMonitor): CheckLease => ({
  accountId,
  monitorId: id,
  leaseToken,
  everyMinutes: checkEveryMinutes,
});

/** Records a check and sets the time of the next one, unless a check was requested meanwhile. Returns false if the lease was lost. */
export async function recordSample(store: Store, made: SampleCheck): Promise<boolean> {
  if ((await saveCheck(store, made.lease, made)) === null) return false;
  await store.db
    .updateTable('monitors')
    .set({ next_check_at: made.nextCheckAt })
    .where('account_id', '=', made.lease.accountId)
    .where('id', '=', made.lease.monitorId)
    .where('next_check_at', '!=', made.now)
    .execute();
  return true;
}

export async function recordCheck(store: Store, made: SampleCheck): Promise<void> {
  if (!(await recordSample(store, made))) throw new Error('The lease was lost');
}

const ADDRESS = '192.0.2.1';

function observationOf(
  { host, port, protocol }: ClaimedMonitor,
  now: number,
  chain: readonly SampleCertificate[],
): Observation {
  const look = { address: ADDRESS, family: 4 as const, durationMs: 20 };
  return {
    ...HANDSHAKES_ONLY,
    endpoint: { host, port, protocol },
    observedAt: now,
    durationMs: 20,
    resolution: { ok: true, addresses: [ADDRESS] },
    addresses: [
      chain.length === 0
        ? { ...look, outcome: 'failed', stage: 'connect', reason: 'refused', tlsAlert: null, detail: null }
        : {
            ...look,
            ...MODERN_TLS,
            presentedChain: chain.map(({ der }) => der),
          },
    ],
  };
}

function verdictOf(
  now: number,
  chain: readonly SampleCertificate[],
  { findings, trusted, revoked }: { findings: Finding[]; trusted: boolean; revoked: RevokedCertificate[] },
): Verdict {
  const leaf = chain[0]?.facts ?? null;
  const failure = { stage: 'connect' as const, reason: 'refused' as const };
  return {
    judgedAt: now,
    observedAt: now,
    reached: leaf !== null,
    failure: leaf ? null : { ...failure, detail: null },
    addresses: [
      {
        address: ADDRESS,
        family: 4,
        fingerprint: leaf?.fingerprint ?? null,
        notAfter: leaf?.notAfter ?? null,
        tlsVersion: leaf && 'TLSv1.3',
        group: leaf && 'X25519',
        alpn: leaf && 'h2',
        durationMs: 20,
        failure: leaf ? null : failure,
      },
    ],
    leafFingerprint: leaf?.fingerprint ?? null,
    limiting: null,
    findings,
    trusted,
    path: [],
    chainToServe: null,
    hasOwnRoot: false,
    revocation: UNASKED,
    renewal: leaf && {
      ...expectedRenewal(leaf),
      source: 'lifetime',
      explanationUrl: null,
      overdueAt: renewalOverdueAt(leaf),
    },
    posture: null,
    trustStoreHash: 'roots',
    lastSeen: leaf && {
      at: now,
      leafFingerprint: leaf.fingerprint,
      expiring: [expiringOf(leaf)],
      findings: findings.map(({ code, fingerprint }) => ({ code, fingerprint })),
      revoked,
      turns: [],
    },
  };
}

function expiringOf({
  fingerprint,
  notBefore,
  notAfter,
  subject: name,
}: CertificateFacts): ExpiringCertificate {
  return { fingerprint, notBefore, notAfter, role: 'leaf', name, renewalWindow: null };
}

/** Returns a store that records the SQL of its queries in `asked`, except queries on connections for searches. */
export function recorded(store: Store): { watched: Store; asked: string[] } {
  const asked: string[] = [];
  const db = store.db.withPlugin({
    transformQuery({ node, queryId }) {
      asked.push(store.db.getExecutor().compileQuery(node, queryId).sql);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return { watched: { ...store, db }, asked };
}
