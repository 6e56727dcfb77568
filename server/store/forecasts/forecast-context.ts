import type { Kysely } from 'kysely';
import { z } from 'zod';
import { HOUR_MS } from '../../../contract/durations.ts';
import { type ForecastContext, type PastRenewal, VALIDATION_METHODS } from '../../core/forecast/evidence.ts';
import type { CertificateFacts } from '../../core/facts.ts';
import { effectiveTarget } from '../../core/target.ts';
import { parseFacts, storedFact } from '../checks/certificates.ts';
import { currentVerdict } from '../checks/verdict-row.ts';
import type { Store } from '../db/open-store.ts';
import { storedJsonOrNull } from '../db/stored-json.ts';
import { isActive } from '../monitors/check-due.ts';
import { joinVerdict } from '../monitors/monitor-row.ts';
import type { RenewalsTable } from '../schema/check-tables.ts';
import type { Tables } from '../schema/tables.ts';
import { renewalAuthority } from './renewals.ts';
import { type ClaimedForecast, type ForecastKey, servingIds } from './forecasts.ts';

/** What a worker needs to make a forecast. */
export interface ForecastSubject {
  facts: CertificateFacts;
  /** Hosts of the account that the certificate names and that are checked at their own address. */
  watchedHosts: string[];
  context: ForecastContext;
}

/** Reads what checks know about the certificate of a forecast. Returns null if the certificate is gone. */
export async function forecastSubject(
  store: Store,
  claim: ClaimedForecast,
  now: number,
): Promise<ForecastSubject | null> {
  const { db } = store;
  const { accountId, fingerprint, previous } = claim;
  const row = await db
    .selectFrom('certificates')
    .select(['facts', 'names_digest'])
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst();
  const facts = parseFacts(row?.facts ?? null);
  if (row === undefined || facts === null) return null;
  const serving = await servingMonitors(db, claim);
  const watched = await namedMonitors(db, accountId, facts.sans);
  const verdicts = [...serving, ...watched].flatMap((monitor) => currentVerdict(monitor) ?? []);
  const windows = verdicts.flatMap(({ lastSeen }) =>
    (lastSeen?.expiring ?? []).flatMap((one) =>
      one.fingerprint === fingerprint ? (one.renewalWindow ?? []) : [],
    ),
  );
  const registrations = verdicts.flatMap(({ posture }) => posture?.registration ?? []);
  const past = await pastRenewals(store, claim, { digest: row.names_digest, monitorId: serving[0]?.id });
  return {
    facts,
    watchedHosts: [...new Set(watched.map(({ host }) => host))],
    context: {
      certificate: {
        fingerprint,
        notBefore: facts.notBefore,
        notAfter: facts.notAfter,
        sans: facts.sans,
        issuerOrganization: facts.authorityName,
        issuerName: facts.issuer,
      },
      renewalWindow: windows[0] ?? null,
      registrations: [
        ...new Map(
          registrations.map((one) => ['domain' in one ? one.domain : one.outcome, one] as const),
        ).values(),
      ],
      renewals: past,
      otherRenewals: await otherRenewals(db, accountId, {
        authority: renewalAuthority(facts),
        digest: row.names_digest,
      }),
      unreachable443: watched
        .filter(({ port }) => port === 443)
        .flatMap((monitor) =>
          (currentVerdict(monitor)?.addresses ?? [])
            .filter(({ failure }) => failure?.stage === 'connect')
            .map(({ address }) => ({ host: monitor.host, address })),
        ),
      first: previous?.first ?? null,
      now,
    },
  };
}

const MAX_SERVING = 20;
const MAX_WATCHED = 200;
const MAX_NAMES = 100;
const MAX_RENEWALS = 20;
const MAX_OTHER_RENEWALS = 200;

const checkedMonitors = (db: Kysely<Tables>, accountId: string) =>
  db
    .selectFrom('monitors')
    .$call(joinVerdict)
    .select(['monitors.id', 'host', 'port', 'target'])
    .where('monitors.account_id', '=', accountId)
    .where(isActive);

const servingMonitors = (db: Kysely<Tables>, { accountId, fingerprint }: ForecastKey) =>
  checkedMonitors(db, accountId)
    .where('monitors.id', 'in', servingIds({ accountId, fingerprint }))
    .orderBy('monitors.id')
    .limit(MAX_SERVING)
    .execute();

/** Returns the monitors of hosts that a certificate names and that are checked at their own address. */
async function namedMonitors(db: Kysely<Tables>, accountId: string, names: readonly string[]) {
  const hosts = names.slice(0, MAX_NAMES).map((name) => name.toLowerCase());
  if (hosts.length === 0) return [];
  const monitors = await checkedMonitors(db, accountId)
    .where('host', 'in', hosts)
    .orderBy('host')
    .limit(MAX_WATCHED)
    .execute();
  return monitors.filter((monitor) => effectiveTarget(monitor).connectTo.host === monitor.host);
}

/** Returns the renewals of certificates with the same names, newest first: recorded ones, and those in the certificate history of a domain. */
async function pastRenewals(
  { db, dialect }: Store,
  { accountId }: ForecastKey,
  { digest, monitorId }: { digest: string | null; monitorId: string | undefined },
): Promise<PastRenewal[]> {
  if (digest === null) return [];
  const recorded = toRenewals(
    await selectRenewals(db, accountId).where('names_digest', '=', digest).limit(MAX_RENEWALS).execute(),
  );
  if (monitorId === undefined) return recorded;
  const leaves = await db
    .selectFrom('monitor_certificates as seen')
    .innerJoin('certificates', 'certificates.fingerprint', 'seen.fingerprint')
    .select('not_before')
    .select(storedFact(dialect, 'notAfter').as('not_after'))
    .where('seen.account_id', '=', accountId)
    .where('seen.monitor_id', '=', monitorId)
    .where('seen.role', '=', 'leaf')
    .where('names_digest', '=', digest)
    .where('not_before', 'is not', null)
    .orderBy('not_before', 'desc')
    .limit(MAX_RENEWALS + 1)
    .execute();
  const seen = leaves.slice(1).flatMap(({ not_before: notBefore, not_after: notAfter }, index) => {
    const renewedAt = leaves[index]?.not_before ?? null;
    if (notBefore === null || renewedAt === null) return [];
    // Two leaves that were issued together, such as an RSA and an ECDSA one, do not renew each other.
    if (renewedAt - notBefore <= HOUR_MS) return [];
    return [{ notBefore, renewedAt, lifetimeMs: Number(notAfter) - notBefore, possible: null }];
  });
  const known = new Set(recorded.map(({ notBefore }) => notBefore));
  return [...recorded, ...seen.filter(({ notBefore }) => !known.has(notBefore))]
    .toSorted((one, other) => other.renewedAt - one.renewedAt)
    .slice(0, MAX_RENEWALS);
}

const readMethods = storedJsonOrNull(z.array(z.enum(VALIDATION_METHODS)));

const selectRenewals = (db: Kysely<Tables>, accountId: string) =>
  db
    .selectFrom('renewals')
    .select(['not_before', 'not_after', 'renewed_at', 'possible'])
    .where('account_id', '=', accountId)
    .orderBy('not_before', 'desc');

/** Returns the renewals of the account's other certificates of the same CA, newest first. */
async function otherRenewals(
  db: Kysely<Tables>,
  accountId: string,
  { authority, digest }: { authority: string; digest: string | null },
): Promise<PastRenewal[]> {
  const rows = await selectRenewals(db, accountId)
    .where('authority', '=', authority)
    .where('names_digest', '!=', digest ?? '')
    .limit(MAX_OTHER_RENEWALS)
    .execute();
  return toRenewals(rows);
}

const toRenewals = (
  rows: readonly Pick<RenewalsTable, 'not_before' | 'not_after' | 'renewed_at' | 'possible'>[],
): PastRenewal[] =>
  rows.flatMap((row) =>
    row.renewed_at === null
      ? []
      : [
          {
            notBefore: row.not_before,
            renewedAt: row.renewed_at,
            lifetimeMs: row.not_after - row.not_before,
            possible: row.possible === null ? null : readMethods(row.possible),
          },
        ],
  );
