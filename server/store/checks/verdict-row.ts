import {
  type AddressVerdict,
  type ExpiringCertificate,
  type Failure,
  type Finding,
  type LastSeen,
  renewalOverdueAt,
  type Verdict,
} from '../../core/index.ts';
import { isFacts, isRecord, isVerdict, list, nullable, number, shape } from './verdict-shape.ts';

/** The verdict of a monitor's last check, out of the columns that `joinVerdict` adds; null before the first. */
export function currentVerdict(row: { verdict: string | null; moment: string | null }): Verdict | null {
  const verdict = row.verdict === null ? null : parseVerdict(row.verdict);
  return verdict && atMoment(verdict, row.moment);
}

/**
 * Reads the JSON of a verdict that this version or an older one stored. A damaged one counts as none: it must not stop the
 * claims and lists that include it, and the next check replaces it.
 */
export function parseVerdict(text: string): Verdict | null {
  return readVerdict(parsed(text));
}

/** Reads a verdict that is part of other JSON. */
export function readVerdict(stored: unknown): Verdict | null {
  // Nearly every verdict was written by this version and is returned as it is.
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

/** What older versions did not store yet. */
const VERDICT: Pick<Verdict, 'path' | 'chainToServe' | 'hasOwnRoot' | 'renewal' | 'posture'> = {
  path: [],
  chainToServe: null,
  hasOwnRoot: false,
  renewal: null,
  posture: null,
};
const REVOCATION: Pick<Verdict['revocation'], 'reason' | 'revokedAt' | 'sources'> = {
  reason: null,
  revokedAt: null,
  sources: [],
};
const ADDRESS: Pick<AddressVerdict, 'group' | 'durationMs'> = { group: null, durationMs: 0 };
const EXPIRING: Pick<ExpiringCertificate, 'renewalWindow'> = { renewalWindow: null };
const LAST_SEEN: Pick<LastSeen, 'revoked' | 'turns'> = { revoked: [], turns: [] };
const FINDING: Pick<Finding, 'keyType' | 'attachment'> = { keyType: null, attachment: null };

function upgradedVerdict(stored: Stored): Stored {
  return {
    ...VERDICT,
    ...stored,
    failure: changed(stored.failure, upgradedFailure),
    findings: each(stored.findings, upgradedFinding),
    addresses: each(stored.addresses, (address) => ({ ...ADDRESS, ...address })),
    revocation: changed(stored.revocation, (revocation) => ({ ...REVOCATION, ...revocation })),
    limiting: changed(stored.limiting, (limiting) => ({ ...EXPIRING, ...limiting })),
    lastSeen: changed(stored.lastSeen, (lastSeen) => ({
      ...LAST_SEEN,
      ...lastSeen,
      expiring: each(lastSeen.expiring, (certificate) => ({ ...EXPIRING, ...certificate })),
    })),
    renewal: changed(stored.renewal ?? null, (renewal) => ({ overdueAt: null, ...renewal })),
    posture: changed(stored.posture ?? null, (posture) => ({
      ...posture,
      findings: each(posture.findings, upgradedFinding),
    })),
  };
}

/** Older versions stored findings in words, which are shown until the next check. */
function upgradedFinding(stored: Stored): Stored {
  const { code, message, fix = null, command = null, evidence = [], facts, ...rest } = stored;
  if (isFacts(facts)) return stored;
  // A newer version may share the database. Accept its unknown findings, so that this process can still show the others.
  const known = facts === undefined ? message : `A newer version of Certlantern found this: ${String(code)}.`;
  const words = { message: known, fix, command, evidence };
  return { code, ...FINDING, ...rest, facts: { kind: 'stored_words', words } };
}

function upgradedFailure(stored: Stored): Stored {
  const { message, ...rest } = stored;
  const detail: Failure['detail'] = typeof message === 'string' ? { kind: 'stored_words', message } : null;
  return { detail, ...rest };
}

const changed = (stored: unknown, change: (stored: Stored) => Stored): unknown =>
  isRecord(stored) ? change(stored) : stored;

const each = (stored: unknown, change: (one: Stored) => Stored): unknown =>
  Array.isArray(stored) ? stored.map((one) => changed(one, change)) : stored;

/** What belongs to one check alone: instants and durations. */
interface Moment {
  judgedAt: number;
  observedAt: number;
  /** Of each address, in their order. */
  durations: number[];
  /** Of what was last seen, and of the last of its turns. */
  seen: { at: number; turn: { at: number; checks: number } | null } | null;
}

const moment = shape<Moment>({
  judgedAt: number,
  observedAt: number,
  durations: list(number),
  seen: nullable(
    shape<NonNullable<Moment['seen']>>({
      at: number,
      turn: nullable(shape({ at: number, checks: number })),
    }),
  ),
});

/** Returns as JSON what every check changes. It is stored apart, so that an unchanged verdict is not written again. */
export function momentOf({ judgedAt, observedAt, addresses, lastSeen }: Verdict): string {
  const turn = lastSeen?.turns.at(-1);
  const now: Moment = {
    judgedAt,
    observedAt,
    durations: addresses.map(({ durationMs }) => durationMs),
    seen: lastSeen && { at: lastSeen.at, turn: turn ? { at: turn.at, checks: turn.checks } : null },
  };
  return JSON.stringify(now);
}

/** Returns the verdict with the instants and durations of that moment. */
export function atMoment(verdict: Verdict, text: string | null): Verdict {
  if (text === null) return verdict;
  const stored = parsed(text);
  if (!moment(stored)) return verdict;
  const { judgedAt, observedAt, durations, seen } = stored as Moment;
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
