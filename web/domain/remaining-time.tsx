import { expiryBadge } from '../../contract/state/badge.ts';
import type { DomainWire } from '../../contract/domain.ts';
import { isVerifiedActive, revocationNote, STATE_NAMES } from '../../contract/state/state-words.ts';
import { ExpiryBadge, RevocationBadge } from '../ui/badge.tsx';
import { classNames } from '../ui/class-names.ts';
import { Spinner } from '../ui/loading.tsx';
import type { Lifetime } from '../ui/certificate/lifetime-geometry.ts';
import { scheduleOf, timeLeft } from '../../contract/state/schedule.ts';
import { StateBadge } from './state-marks.tsx';

interface RemainingTimeProps {
  domain: DomainWire;
  now: number;
  /** Uses the short text of the list view. */
  short?: boolean;
}

/**
 * Shows the badge or the days left, never both; before the first certificate, the state of the check. A revoked certificate has no days left,
 * only the badge. A row shows that its domain is paused, and beside it any expiry badge of its last certificate. A card shows the pause in
 * another line.
 */
export function RemainingTime({ domain, now, short = false }: RemainingTimeProps) {
  const notAfter = domain.expiry_date === null ? null : Date.parse(domain.expiry_date);
  // Aligns the badge's glyph with the text of the column.
  const place = short ? 'inline-flex flex-wrap gap-1 md:-ml-[7px]' : 'inline-flex flex-wrap gap-1.5';
  if (domain.paused !== null && short)
    return (
      <span className={place}>
        <StateBadge state="paused" />
        {notAfter !== null && <ExpiryBadge notAfter={notAfter} now={now} short={short} />}
      </span>
    );
  if (notAfter !== null) {
    if (expiryBadge(notAfter, now))
      return (
        <span data-badge="" className={place}>
          <ExpiryBadge notAfter={notAfter} now={now} short={short} />
        </span>
      );
    if (domain.is_revoked) return null;
    const left = timeLeft(notAfter - now);
    const [value, unit] = left.split(' ');
    if (short) return <span className="num text-[13.5px] text-fg-2">{left} left</span>;
    return (
      <span className="num text-body text-fg-2">
        <b className="mr-px text-[20px]/[26px] font-semibold tracking-[-.02em] text-fg">{value}</b> {unit}{' '}
        left
      </span>
    );
  }
  if (domain.unreachable && !domain.checking)
    return (
      <span data-badge="" className={place}>
        <StateBadge state="unread" />
      </span>
    );
  return (
    <span className="inline-flex items-center gap-2 text-body text-fg-2">
      {domain.checking && <Spinner className="text-fg-3" />}
      {domain.checking ? STATE_NAMES.pending : 'Not checked yet'}
    </span>
  );
}

interface RevocationStateProps {
  domain: DomainWire;
  /** `end` and `start`: the note about the revocation is below the badge, at this edge. */
  place: 'beside' | 'end' | 'start';
}

/** Shows Active or Revoked, and says if the revocation is not known. */
export function RevocationState({ domain, place }: RevocationStateProps) {
  // `RemainingTime` already says that no certificate was read.
  const note = domain.fingerprint === null ? null : revocationNote(domain);
  return (
    <span
      className={classNames(
        'flex-none whitespace-nowrap',
        place === 'beside' ? 'inline-flex flex-wrap items-center gap-x-1.5' : 'inline-grid',
        // A card has the same height with and without a note.
        place === 'end' && '-my-1.5 justify-items-end',
      )}
    >
      <RevocationBadge revoked={domain.is_revoked} isVerified={isVerifiedActive(domain)} />
      {note !== null && (
        <span title={note} className={classNames('text-small text-fg-3', place !== 'beside' && '-mt-1.5')}>
          <ShortNote note={note} />
        </span>
      )}
    </span>
  );
}

/** Hides the first word of 'revocation not known' if the card is so narrow that the note would overlap a badge on its left. */
function ShortNote({ note }: { note: string }) {
  const rest = note.replace(/^revocation /, '');
  return (
    <>
      {rest !== note && (
        <span className="@max-[300px]:group-has-[[data-badge]]/state:sr-only">revocation </span>
      )}
      {rest}
    </>
  );
}

/** Returns the data of the lifetime bar; null before the first certificate. */
export function lifetimeOf(domain: DomainWire, now: number): Lifetime | null {
  if (domain.valid_from === null || domain.expiry_date === null) return null;
  return {
    notBefore: Date.parse(domain.valid_from),
    notAfter: Date.parse(domain.expiry_date),
    renewalFrom: domain.renewal_from === null ? null : Date.parse(domain.renewal_from),
    revoked: domain.is_revoked,
    isOnSchedule: scheduleOf(domain, now) === 'on schedule',
  };
}
