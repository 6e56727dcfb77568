import { Fragment, type ReactNode } from 'react';
import type { CertificateWire } from '../../../contract/calls/certificate.ts';
import { WRONG_NAME } from '../../../contract/check-words.ts';
import { expiryBadge } from '../../../contract/state/badge.ts';
import { isRenewalOverdue, scheduleOf, scheduleWords, timeLeft } from '../../../contract/state/schedule.ts';
import { overdueReason, STATE_NAMES } from '../../../contract/state/state-words.ts';
import { ATTENTION_REASONS, type AttentionReason } from '../../../contract/words.ts';
import { StateBadge } from '../../domain/state-marks.tsx';
import { ExpiryBadge, RevocationBadge } from '../../ui/badge.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import type { Lifetime } from '../../ui/certificate/lifetime-geometry.ts';

/**
 * Shows how long a certificate is still valid: a badge if it is revoked or ends soon, else the days. If all of its domains are paused, shows
 * that, and the days without a colour, because it may have been replaced.
 */
function Remaining({ certificate, now }: { certificate: CertificateWire; now: number }) {
  const notAfter = Date.parse(certificate.expiry_date);
  if (certificate.paused)
    return (
      <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1">
        <StateBadge state="paused" />
        <span className="num text-[13.5px] text-fg-2">{remainingWords(certificate, now)}</span>
      </span>
    );
  if (certificate.state === 'revoked') return <RevocationBadge revoked />;
  if (expiryBadge(notAfter, now)) return <ExpiryBadge notAfter={notAfter} now={now} short />;
  return <span className="num text-[13.5px] text-fg-2">{remainingWords(certificate, now)}</span>;
}

/** Returns 'Expired', 'Revoked' or '32 days left'. */
function remainingWords({ state, expiry_date: end }: CertificateWire, now: number): string {
  const isOver = state === 'expired' || state === 'revoked';
  return isOver ? STATE_NAMES[state] : `${timeLeft(Date.parse(end) - now)} left`;
}

const PROBLEMS: Record<NonNullable<CertificateWire['problem']>, string | null> = {
  // Null for problems that have a badge of their own.
  revoked: null,
  overdue: null,
  wrong_name: WRONG_NAME,
  untrusted: STATE_NAMES.untrusted,
  refused: STATE_NAMES.refused,
  flawed: STATE_NAMES.flawed,
};

/** A badge of a certificate. */
interface Part {
  /** Why the certificate needs attention; any other text if this is no reason. */
  reason: string;
  /** The words in print. */
  words: string;
  badge: ReactNode;
}

function statePart(reason: AttentionReason, words: string): Part {
  return { reason, words, badge: <StateBadge state={reason}>{words}</StateBadge> };
}

/** Returns the badges of the problems and of the time left, most urgent first. */
function partsOf(certificate: CertificateWire, now: number): Part[] {
  const { problem, state, paused } = certificate;
  const time = {
    reason: scheduleOf(certificate, now) === 'on schedule' ? 'on schedule' : state,
    words: remainingWords(certificate, now),
    badge: <Remaining certificate={certificate} now={now} />,
  };
  // Nobody checks whether the problems of a paused domain still exist.
  if (paused) return [time];
  const parts: Part[] = [time];
  const name = problem && PROBLEMS[problem];
  if (problem !== null && name !== null)
    parts.unshift(statePart(problem === 'wrong_name' ? 'untrusted' : problem, name));
  if (isRenewalOverdue(certificate, now)) parts.push(statePart(overdueReason(state), STATE_NAMES.overdue));
  return parts.toSorted((one, other) => rankOf(one) - rankOf(other));
}

function rankOf({ reason }: Part): number {
  const rank = ATTENTION_REASONS.findIndex((one) => one === reason);
  return rank < 0 ? ATTENTION_REASONS.length : rank;
}

/** Shows the badges of the certificate's problems and of the time left, most urgent first. */
export function CertificateBadges({ certificate, now }: { certificate: CertificateWire; now: number }) {
  return partsOf(certificate, now).map(({ words, badge }) => <Fragment key={words}>{badge}</Fragment>);
}

/** Returns what the row says in badges and beside them, such as 'Not trusted: wrong name, 32 days left'. */
export function badgeWords(certificate: CertificateWire, now: number): string {
  const paused = certificate.paused && STATE_NAMES.paused;
  const words = partsOf(certificate, now).map((part) => part.words);
  return [paused, ...words, renewalWords(certificate, now)].filter(Boolean).join(', ');
}

/** Says that the next renewal will fail, or that the renewal of a short-lived certificate, whose badge is red, is on schedule. */
export function RenewalNote({ certificate, now }: { certificate: CertificateWire; now: number }) {
  const words = renewalWords(certificate, now);
  return words === null ? null : <span className="num text-fg-2">{words}</span>;
}

function renewalWords(certificate: CertificateWire, now: number): string | null {
  const { paused, next_renewal: next } = certificate;
  if (paused) return null;
  if (next?.line) return visibleText(next.line);
  return scheduleOf(certificate, now) === 'on schedule' ? scheduleWords(certificate, now) : null;
}

/** Returns the data of the lifetime bar. */
export function lifetimeOfCertificate(certificate: CertificateWire, now: number): Lifetime {
  const { valid_from, expiry_date, renewal, state } = certificate;
  return {
    notBefore: Date.parse(valid_from),
    notAfter: Date.parse(expiry_date),
    renewalFrom: renewal === null ? null : Date.parse(renewal.from),
    revoked: state === 'revoked',
    isOnSchedule: scheduleOf(certificate, now) === 'on schedule',
  };
}
