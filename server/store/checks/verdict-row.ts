import type { Transaction } from 'kysely';
import { renewalOverdueAt } from '../../core/alert-steps.ts';
import { type Finding, isFacts } from '../../core/finding.ts';
import { type Infer, isRecord, list, nullable, number, object } from '../../core/shape.ts';
import {
  type AddressVerdict,
  type ExpiringCertificate,
  type Failure,
  isVerdict,
  type LastSeen,
  type PostureVerdict,
  type Verdict,
} from '../../core/verdict.ts';
import type { MonitorKey, Tables } from '../schema/tables.ts';
import { shortDigest } from './evidence.ts';

/**
 * Returns the verdict of a monitor's last check from the columns that `joinVerdict` adds. Returns null if there was no check yet
 * or the verdict is damaged.
 */
export function currentVerdict(row: { verdict: string | null; moment: string | null }): Verdict | null {
  const verdict = row.verdict === null ? null : parseVerdict(row.verdict);
  return verdict && atMoment(verdict, row.moment);
}

/**
 * Parses the JSON of a verdict that this or an older version stored. Returns null for damaged JSON: an error would stop all
 * claims and lists that include the verdict, while null lasts only until the next check.
 */
export function parseVerdict(text: string): Verdict | null {
  return readVerdict(parsed(text));
}

/** Returns the verdict in parsed JSON, with defaults for properties that older versions did not store; null if it is damaged. */
export function readVerdict(stored: unknown): Verdict | null {
  // Return most verdicts unchanged: this version has stored nearly all of them.
  if (isVerdict(stored)) return stored;
  if (!isRecord(stored)) return null;
  const verdict = upgradedVerdict(stored);
  if (!isVerdict(verdict)) return null;
  const { renewal, lastSeen } = verdict;
  if (renewal === null || Object.hasOwn(stored.renewal ?? {}, 'overdueAt')) return verdict;
  const leaf = lastSeen?.expiring.find(({ fingerprint }) => fingerprint === lastSeen.leafFingerprint);
  return { ...verdict, renewal: { ...renewal, overdueAt: leaf ? renewalOverdueAt(leaf) : null } };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

type Stored = Readonly<Record<string, unknown>>;

/** Defaults of properties that older versions did not store. */
const VERDICT_DEFAULTS: Pick<Verdict, 'path' | 'chainToServe' | 'hasOwnRoot' | 'renewal' | 'posture'> = {
  path: [],
  chainToServe: null,
  hasOwnRoot: false,
  renewal: null,
  posture: null,
};
const REVOCATION_DEFAULTS: Pick<Verdict['revocation'], 'reason' | 'revokedAt' | 'sources'> = {
  reason: null,
  revokedAt: null,
  sources: [],
};
const ADDRESS_DEFAULTS: Pick<AddressVerdict, 'group' | 'alpn' | 'durationMs'> = {
  group: null,
  alpn: null,
  durationMs: 0,
};
const EXPIRING_DEFAULTS: Pick<ExpiringCertificate, 'renewalWindow'> = { renewalWindow: null };
const LAST_SEEN_DEFAULTS: Pick<LastSeen, 'revoked' | 'turns'> = { revoked: [], turns: [] };
const POSTURE_DEFAULTS: Pick<PostureVerdict, 'untestedKeyTypes'> = { untestedKeyTypes: [] };
const FINDING_DEFAULTS: Pick<Finding, 'keyType' | 'attachment'> = { keyType: null, attachment: null };

function upgradedVerdict(stored: Stored): Stored {
  return {
    ...VERDICT_DEFAULTS,
    ...stored,
    failure: mapRecord(stored.failure, upgradedFailure),
    findings: mapRecords(stored.findings, upgradedFinding),
    addresses: mapRecords(stored.addresses, (address) => ({ ...ADDRESS_DEFAULTS, ...address })),
    revocation: mapRecord(stored.revocation, (revocation) => ({ ...REVOCATION_DEFAULTS, ...revocation })),
    limiting: mapRecord(stored.limiting, (limiting) => ({ ...EXPIRING_DEFAULTS, ...limiting })),
    lastSeen: mapRecord(stored.lastSeen, (lastSeen) => ({
      ...LAST_SEEN_DEFAULTS,
      ...lastSeen,
      expiring: mapRecords(lastSeen.expiring, (certificate) => ({ ...EXPIRING_DEFAULTS, ...certificate })),
    })),
    renewal: mapRecord(stored.renewal ?? null, (renewal) => ({ overdueAt: null, ...renewal })),
    posture: mapRecord(stored.posture ?? null, (posture) => ({
      ...POSTURE_DEFAULTS,
      ...posture,
      findings: mapRecords(posture.findings, upgradedFinding),
    })),
  };
}

/**
 * Converts a finding whose facts this version cannot read: an older version stored text, a newer version may store a new kind.
 */
function upgradedFinding(stored: Stored): Stored {
  const { code, message, fix = null, command = null, evidence = [], facts, ...rest } = stored;
  if (isFacts(facts)) return stored;
  // A newer version may share the database. Accept its unknown findings, so that this process can still show the others.
  const known = facts === undefined ? message : `A newer version of Certlantern found this: ${String(code)}.`;
  const words = { message: known, fix, command, evidence };
  return { code, ...FINDING_DEFAULTS, ...rest, facts: { kind: 'stored_words', words } };
}

function upgradedFailure(stored: Stored): Stored {
  const { message, ...rest } = stored;
  const detail: Failure['detail'] = typeof message === 'string' ? { kind: 'stored_words', message } : null;
  return { detail, ...rest };
}

const mapRecord = (stored: unknown, change: (stored: Stored) => Stored): unknown =>
  isRecord(stored) ? change(stored) : stored;

const mapRecords = (stored: unknown, change: (one: Stored) => Stored): unknown =>
  Array.isArray(stored) ? stored.map((one) => mapRecord(one, change)) : stored;

/** The parts of a verdict that differ with every check: times (ms UTC) and durations (ms). */
const moment = object({
  judgedAt: number,
  observedAt: number,
  /** Duration for each address in ms, in the order of the verdict's addresses. */
  durations: list(number),
  /** Time of `lastSeen`, and the time and number of checks of the last entry of its `turns`; null if there is no `lastSeen`. */
  seen: nullable(object({ at: number, turn: nullable(object({ at: number, checks: number })) })),
});

/**
 * Returns the JSON of the verdict's times and durations, which differ with every check. They are stored separately, so that the
 * rest of the verdict is only written when it changes.
 */
export function momentOf({ judgedAt, observedAt, addresses, lastSeen }: Verdict): string {
  const turn = lastSeen?.turns.at(-1);
  const now: Infer<typeof moment> = {
    judgedAt,
    observedAt,
    durations: addresses.map(({ durationMs }) => durationMs),
    seen: lastSeen && { at: lastSeen.at, turn: turn ? { at: turn.at, checks: turn.checks } : null },
  };
  return JSON.stringify(now);
}

/**
 * Replaces the verdict's times and durations with those in `text` (JSON from `momentOf`). Returns the verdict unchanged if `text`
 * is null or damaged.
 */
function atMoment(verdict: Verdict, text: string | null): Verdict {
  if (text === null) return verdict;
  const stored = parsed(text);
  if (!moment(stored)) return verdict;
  const { judgedAt, observedAt, durations, seen } = stored;
  const { addresses, lastSeen } = verdict;
  return {
    ...verdict,
    judgedAt,
    observedAt,
    addresses: addresses.map((address, index) => ({
      ...address,
      durationMs: durations[index] ?? address.durationMs,
    })),
    lastSeen: lastSeen &&
      seen && {
        ...lastSeen,
        at: seen.at,
        turns: lastSeen.turns.map((turn, index) =>
          index === lastSeen.turns.length - 1 ? { ...turn, ...seen.turn } : turn,
        ),
      },
  };
}

/** Returns a digest of the verdict's conclusions. It ignores times and the order of addresses. */
export function verdictDigest({
  reached,
  failure,
  leafFingerprint,
  trusted,
  findings,
  revocation,
  addresses,
}: Verdict): string {
  const parts = [
    reached,
    failure && [failure.stage, failure.reason],
    leafFingerprint,
    trusted,
    revocation.state,
    findings
      .map((finding) =>
        JSON.stringify([finding.code, finding.severity, finding.fingerprint, whereOf(finding, addresses)]),
      )
      .toSorted(),
  ];
  return shortDigest(parts);
}

/**
 * Returns the addresses with a finding, or `everywhere` if all addresses have it. So the digest stays the same when the name
 * resolves to other addresses.
 */
const whereOf = (finding: Finding, all: readonly unknown[]) =>
  finding.addresses.length === all.length ? 'everywhere' : finding.addresses.toSorted();

/** Stores the verdict, unless the same JSON is already stored. */
export async function saveVerdict(
  trx: Transaction<Tables>,
  { accountId, monitorId }: MonitorKey,
  {
    verdict,
    written: { id, text },
    isNew,
    previous,
  }: {
    verdict: Verdict;
    written: { id: string; text: string };
    isNew: boolean;
    previous: Verdict | null;
  },
): Promise<void> {
  if (!isNew && previous && JSON.stringify(atMoment(previous, momentOf(verdict))) === text) return;
  await trx
    .insertInto('verdicts')
    .values({
      account_id: accountId,
      monitor_id: monitorId,
      id,
      judged_at: verdict.judgedAt,
      leaf_fingerprint: verdict.leafFingerprint,
      verdict: text,
    })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'monitor_id', 'id']).doUpdateSet({ verdict: text }),
    )
    .execute();
}

/**
 * Deletes the verdict of the previous check if nothing refers to it any more. No run refers to the verdict of a check that
 * exceeded a storage limit.
 */
export async function dropUnusedVerdict(
  trx: Transaction<Tables>,
  { accountId, monitorId }: MonitorKey,
  id: string | null,
): Promise<void> {
  if (id === null) return;
  await trx
    .deleteFrom('verdicts')
    .where('account_id', '=', accountId)
    .where('monitor_id', '=', monitorId)
    .where('id', '=', id)
    .where((eb) => {
      const inUse = (table: 'check_runs' | 'monitor_states') =>
        eb
          .selectFrom(table)
          .select('account_id')
          .where('account_id', '=', accountId)
          .where('monitor_id', '=', monitorId)
          .where('verdict_id', '=', id);
      return eb.not(eb.or([eb.exists(inUse('check_runs')), eb.exists(inUse('monitor_states'))]));
    })
    .execute();
}
