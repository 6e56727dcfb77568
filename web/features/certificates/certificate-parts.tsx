import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import type { CertificateWire } from '../../../contract/calls/certificate.ts';
import { WRONG_NAME } from '../../../contract/check-words.ts';
import { expiryBadge } from '../../../contract/state/badge.ts';
import { isRenewalOverdue, scheduleOf, scheduleWords, timeLeft } from '../../../contract/state/schedule.ts';
import { inSentence, STATE_NAMES } from '../../../contract/state/state-words.ts';
import { ATTENTION_REASONS } from '../../../contract/words.ts';
import { StateBadge, StateMark } from '../../domain/state-marks.tsx';
import { ExpiryBadge, RevocationBadge } from '../../ui/badge.tsx';
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
  // Null for problems that another part of the row shows: `Remaining` the revocation, `RenewalNote` the overdue renewal.
  revoked: null,
  overdue: null,
  wrong_name: WRONG_NAME,
  untrusted: STATE_NAMES.untrusted,
  refused: STATE_NAMES.refused,
  flawed: STATE_NAMES.flawed,
};

/** Returns what is wrong with the certificate on a domain; null if nothing is, another part of the row says it, or nobody checks it. */
const problemName = ({ problem, paused }: CertificateWire): string | null =>
  paused ? null : problem && PROBLEMS[problem];

/** Shows a badge with the certificate's problem; nothing if it has none. */
function ProblemBadge({ certificate }: { certificate: CertificateWire }) {
  const { problem } = certificate;
  const text = problemName(certificate);
  if (problem === null || text === null) return null;
  return <StateBadge state={problem === 'wrong_name' ? 'untrusted' : problem}>{text}</StateBadge>;
}

/** Returns the problem and the time left, the more urgent first, as on the cards of the dashboard. */
function mostUrgentFirst<T>(certificate: CertificateWire, now: number, problem: T, timeLeftShown: T): T[] {
  const { problem: code, state } = certificate;
  const rankOf = (reason: string | null) => ATTENTION_REASONS.findIndex((one) => one === reason);
  const isDue = rankOf(state) >= 0 && scheduleOf(certificate, now) !== 'on schedule';
  const isTimeFirst = isDue && rankOf(state) < rankOf(code === 'wrong_name' ? 'untrusted' : code);
  return isTimeFirst ? [timeLeftShown, problem] : [problem, timeLeftShown];
}

/** Shows the badges of the certificate's problem and of the time left, the more urgent first. */
export function CertificateBadges({ certificate, now }: { certificate: CertificateWire; now: number }) {
  const problem = <ProblemBadge key="problem" certificate={certificate} />;
  const remaining = <Remaining key="remaining" certificate={certificate} now={now} />;
  return mostUrgentFirst(certificate, now, problem, remaining);
}

/** Returns the words of the badges, such as 'Not trusted: wrong name, 32 days left'. */
export function badgeWords(certificate: CertificateWire, now: number): string {
  const paused = certificate.paused && STATE_NAMES.paused;
  const words = mostUrgentFirst(certificate, now, problemName(certificate), remainingWords(certificate, now));
  return [paused, ...words].filter(Boolean).join(', ');
}

/** Says that the renewal is overdue. For a short-lived certificate, whose badge is red, also says that the renewal is on schedule. */
export function RenewalNote({ certificate, now }: { certificate: CertificateWire; now: number }) {
  if (certificate.paused) return null;
  if (isRenewalOverdue(certificate, now))
    return (
      <span className="inline-flex items-center gap-1.5 text-soon-fg">
        <StateMark state="overdue" />
        {inSentence(STATE_NAMES.overdue)}
      </span>
    );
  const words = scheduleWords(certificate, now);
  return words === null ? null : <span className="num text-fg-2">{words}</span>;
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

/** Links a domain's name to its panel. */
export function DomainName({ domain }: { domain: { id: string; display_name: string } }) {
  return (
    <Link
      to="/dashboard"
      search={{ domain: domain.id }}
      preload={false}
      className="link font-mono [overflow-wrap:anywhere]"
    >
      <BreakableName name={domain.display_name} />
    </Link>
  );
}

/** Lets a name that is too long for its line continue after a dot. */
export function BreakableName({ name }: { name: string }) {
  const labels = name.split(/(?<=\.)/);
  return labels.map((label, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {label}
    </Fragment>
  ));
}
