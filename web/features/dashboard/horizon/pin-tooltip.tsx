import { expiryBadge } from '../../../../contract/state/badge.ts';
import { ExpiryBadge, RevocationBadge } from '../../../ui/badge.tsx';
import { StateMark } from '../../../domain/state-marks.tsx';
import type { HorizonEntry } from '../../../ui/horizon/horizon-layout.ts';
import { daysLeftWords, otherDomainsText } from './horizon-entries.ts';
import { grouped, longDate } from '../../../lib/format.ts';

const MAX_NAMES = 6;

/** What a tooltip describes: a pin or a bar, with its place in px. */
export interface Described {
  /** Certificates, ordered by date. */
  entries: readonly [HorizonEntry, ...HorizonEntry[]];
  count: number;
  x: number;
  y: number;
}

export interface PinTooltipProps {
  /** What is highlighted; null if nothing is. */
  described: Described | null;
  /** Text for the date, if it is not the local day of the first entry. */
  date?: string;
  /** Issuer of the certificate; null while unknown. */
  issuer: string | null;
  now: number;
  width: number;
  onPointerEnter: () => void;
  onPointerLeave: () => void;
}

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Describes what is highlighted. Hidden from screen readers, because the link says the same. */
export function PinTooltip(props: PinTooltipProps) {
  const { described, issuer, now, width, onPointerEnter, onPointerLeave } = props;
  if (described === null) return null;
  const { entries, count, x, y } = described;
  const [{ name, shared, notAfter, status, trouble, troubleState, schedule }] = entries;
  const { date = longDate(notAfter) } = props;
  const isRight = x > width / 2;
  return (
    <div
      aria-hidden="true"
      onPointerEnter={onPointerEnter}
      onPointerLeave={onPointerLeave}
      className="absolute z-20 w-max max-w-[min(280px,calc(100%-16px))] animate-[menu-in_120ms] rounded-3 border border-line bg-menu px-3 py-2.5 text-label shadow-3"
      style={{
        bottom: `calc(100% - ${y - 14}px)`,
        ...(isRight ? { right: Math.max(8, width - x - 20) } : { left: Math.max(8, x - 20) }),
      }}
    >
      {count > 1 ? (
        <>
          <p className="font-semibold">
            {grouped(count)} certificates {notAfter < now ? 'expired' : 'expire'} on {date}
          </p>
          <ul className="mt-1 font-mono text-meta text-fg-2">
            {entries.slice(0, MAX_NAMES).map((entry) => (
              <li key={entry.id} className="truncate">
                {entry.name}
              </li>
            ))}
          </ul>
          {count > Math.min(entries.length, MAX_NAMES) && (
            <p className="mt-1 text-meta text-fg-3">
              and {grouped(count - Math.min(entries.length, MAX_NAMES))} more
            </p>
          )}
        </>
      ) : (
        <>
          <p className="line-clamp-4 font-mono font-[560] [overflow-wrap:anywhere]">{name}</p>
          {shared && <p className="num mt-0.5 text-fg-2">{otherDomainsText(shared)}</p>}
          <p className="num mt-0.5 text-fg-2">
            {notAfter < now ? 'Expired' : 'Expires'} on {longDate(notAfter)}
          </p>
          {troubleState !== undefined && trouble !== undefined && (
            <p className="mt-0.5 flex items-center gap-1.5 font-[520]">
              <StateMark state={troubleState} className="size-3" />
              {capitalised(trouble)}
            </p>
          )}
          {schedule !== undefined && <p className="num mt-0.5 text-fg-2">{capitalised(schedule)}</p>}
          {issuer !== null && <p className="truncate text-meta text-fg-3">{issuer}</p>}
          <p className="num mt-1.5 flex gap-1.5">
            {status === 'revoked' ? (
              <RevocationBadge revoked />
            ) : expiryBadge(notAfter, now) === null ? (
              <span className="text-fg-2">{daysLeftWords(notAfter, now)}</span>
            ) : (
              <ExpiryBadge notAfter={notAfter} now={now} />
            )}
          </p>
        </>
      )}
    </div>
  );
}
