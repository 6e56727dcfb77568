import type { AddressVerdict, ExpiringCertificate, Finding, LastSeen, Verdict } from '../core/index.ts';

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
export function parseVerdict(text: string | null): Verdict | null {
  if (text === null) return null;
  const stored = JSON.parse(text) as Verdict;
  // Written by this version, as nearly all are.
  if (Object.hasOwn(stored, 'path')) return stored;
  return {
    ...VERDICT,
    ...stored,
    findings: stored.findings.map((finding) => ({ ...FINDING, ...finding })),
    addresses: stored.addresses.map((address) => ({ ...ADDRESS, ...address })),
    revocation: { ...REVOCATION, ...stored.revocation },
    limiting: stored.limiting && { ...EXPIRING, ...stored.limiting },
    lastSeen: stored.lastSeen && {
      ...LAST_SEEN,
      ...stored.lastSeen,
      expiring: stored.lastSeen.expiring.map((certificate) => ({ ...EXPIRING, ...certificate })),
    },
  };
}
