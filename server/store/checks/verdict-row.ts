import {
  type AddressVerdict,
  type ExpiringCertificate,
  type Finding,
  type LastSeen,
  renewalOverdueAt,
  type Verdict,
} from '../../core/index.ts';

/** What verdicts did not say yet when older versions wrote them. */
const VERDICT: Pick<Verdict, 'path' | 'chainToServe' | 'renewal' | 'posture'> = {
  path: [],
  chainToServe: null,
  renewal: null,
  posture: null,
};
const REVOCATION: Pick<Verdict['revocation'], 'reason' | 'revokedAt' | 'sources'> = {
  reason: null,
  revokedAt: null,
  sources: [],
};
const FINDING: Pick<Finding, 'fix' | 'command' | 'evidence' | 'attachment'> = {
  fix: null,
  command: null,
  evidence: [],
  attachment: null,
};
const ADDRESS: Pick<AddressVerdict, 'group' | 'durationMs'> = { group: null, durationMs: 0 };
const EXPIRING: Pick<ExpiringCertificate, 'renewalWindow'> = { renewalWindow: null };
const LAST_SEEN: Pick<LastSeen, 'revoked'> = { revoked: [] };

/** A verdict out of its JSON, of whichever version wrote it: what that one did not know is null or empty. */
function parseVerdict(text: string | null): Verdict | null {
  if (text === null) return null;
  const stored = JSON.parse(text) as Verdict;
  // Written by this version, as nearly all are.
  if (
    Object.hasOwn(stored, 'path') &&
    (stored.renewal === null || Object.hasOwn(stored.renewal, 'overdueAt'))
  )
    return stored;
  return {
    ...VERDICT,
    ...stored,
    findings: stored.findings.map((finding) => ({ ...FINDING, ...finding })),
    addresses: stored.addresses.map((address) => ({ ...ADDRESS, ...address })),
    revocation: { ...REVOCATION, ...stored.revocation },
    renewal: renewalOf(stored),
    limiting: stored.limiting && { ...EXPIRING, ...stored.limiting },
    lastSeen: stored.lastSeen && {
      ...LAST_SEEN,
      ...stored.lastSeen,
      expiring: stored.lastSeen.expiring.map((certificate) => ({ ...EXPIRING, ...certificate })),
    },
  };
}

/** Adds from when on the renewal is overdue, which older versions did not store. */
function renewalOf({ renewal, lastSeen }: Verdict): Verdict['renewal'] {
  if (!renewal || Object.hasOwn(renewal, 'overdueAt')) return renewal ?? null;
  const leaf = lastSeen?.expiring.find(({ fingerprint }) => fingerprint === lastSeen.leafFingerprint);
  return { ...renewal, overdueAt: leaf ? renewalOverdueAt(leaf) : null };
}

/** What of a verdict is of one check alone: instants and durations. */
interface Moment {
  judgedAt: number;
  observedAt: number;
  /** Of each address, in their order. */
  durations: number[];
  /** Of what was last seen, and of the last of its turns. */
  seen: { at: number; turn: { at: number; checks: number } | null } | null;
}

/** JSON of what changes with every check although nothing else does: it is kept apart, so that the rest is not written again. */
export function momentOf({ judgedAt, observedAt, addresses, lastSeen }: Verdict): string {
  const turn = turnsOf(lastSeen).at(-1);
  const moment: Moment = {
    judgedAt,
    observedAt,
    durations: addresses.map(({ durationMs }) => durationMs),
    seen: lastSeen && { at: lastSeen.at, turn: turn ? { at: turn.at, checks: turn.checks } : null },
  };
  return JSON.stringify(moment);
}

/** Older versions wrote none. */
const turnsOf = (lastSeen: Partial<LastSeen> | null): LastSeen['turns'] => lastSeen?.turns ?? [];

/** The verdict as it was at that moment. */
export function atMoment(verdict: Verdict, text: string | null): Verdict {
  if (text === null) return verdict;
  const { judgedAt, observedAt, durations, seen } = JSON.parse(text) as Moment;
  const { addresses, lastSeen } = verdict;
  const turns = turnsOf(lastSeen);
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
        turns: turns.map((turn, index) => (index === turns.length - 1 ? { ...turn, ...seen.turn } : turn)),
      },
  };
}

/** The verdict of a monitor's last check, out of the columns that `joinVerdict` adds; null before the first. */
export function currentVerdict(row: { verdict: string | null; moment: string | null }): Verdict | null {
  const verdict = parseVerdict(row.verdict);
  return verdict && atMoment(verdict, row.moment);
}
