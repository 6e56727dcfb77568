import {
  ATTENTION_REASONS,
  type AttentionReason,
  CRITICAL_DAYS,
  type DomainState,
  SOON_DAYS,
} from '../words.ts';
import type { RenewalFacts } from './schedule.ts';

/**
 * The name of each state of a domain or its certificate: on pages, in mails, groups and filters. They are not in `words.ts`,
 * because the login page loads that file and needs none of them.
 */
export const STATE_NAMES: Record<DomainState | AttentionReason, string> = {
  pending: 'Checking…',
  unread: 'Certificate not read',
  unreachable: 'Certificate not read',
  down: 'Down',
  expired: 'Expired',
  revoked: 'Revoked',
  untrusted: 'Not trusted',
  refused: 'Refused by some clients',
  overdue: 'Renewal overdue',
  flawed: 'Needs a fix',
  critical: `0–${CRITICAL_DAYS} days left`,
  soon: `${CRITICAL_DAYS + 1}–${SOON_DAYS} days left`,
  ok: `More than ${SOON_DAYS} days left`,
  paused: 'Paused',
};

/** Returns 'certificate not read' for 'Certificate not read'. */
export const inSentence = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

/** The facts that decide whether a host or its certificate is broken. */
export interface BrokenFacts extends RenewalFacts {
  state: DomainState;
  trusted: boolean | null;
  /** True if some clients do not connect, although the certificate is trusted. */
  refused: boolean;
  attention: AttentionReason | null;
  /** Why the last check read no certificate. */
  unreachable: unknown;
  uptime: { state: 'up' | 'down' | 'unknown' | null };
}

/**
 * Returns the reason in whose place and colour an overdue renewal is shown: the near expiry of the certificate if it is in such a state,
 * which is more urgent, else `overdue`.
 */
export const overdueReason = (state: DomainState): AttentionReason =>
  ATTENTION_REASONS.find((reason) => reason === state || reason === 'overdue') ?? 'overdue';

/** Notes beside the badge 'Active' for each revocation state; null if no note is needed. */
const REVOCATION_NOTES: Record<RevocationFacts['revocation']['state'], string | null> = {
  good: null,
  revoked: null,
  unknown: 'revocation not known',
  unavailable: 'revocation not known',
  not_applicable: 'not revocable',
};

/** The facts that decide whether the badge 'Active' has its tick. */
interface RevocationFacts extends BrokenFacts {
  /** Fingerprint of the certificate read last; null if none was ever read. */
  fingerprint: string | null;
  revocation: { state: 'good' | 'revoked' | 'unknown' | 'unavailable' | 'not_applicable' };
}

/**
 * Returns whether the badge 'Active' has its tick and colour: a signed CRL or OCSP answer says that the certificate is not revoked,
 * the last check read it, it is trusted and has not expired, and the host is not down. False while paused.
 */
export function isVerifiedActive(domain: RevocationFacts): boolean {
  const { state, trusted, fingerprint, revocation, unreachable, uptime } = domain;
  const isRead = fingerprint !== null && unreachable === null && state !== 'paused';
  const isBroken = uptime.state === 'down' || state === 'expired' || trusted === false;
  return isRead && revocation.state === 'good' && !isBroken;
}

/** Returns the note beside the badge 'Active', such as 'certificate not read' or 'revocation not known'; null for none. */
export function revocationNote({ state, fingerprint, revocation }: RevocationFacts): string | null {
  if (fingerprint === null) return state === 'pending' ? null : inSentence(STATE_NAMES.unread);
  return REVOCATION_NOTES[revocation.state];
}
