import { issuerLine, UNKNOWN_ISSUER } from '../../../../contract/check-words.ts';
import type { DomainWire } from '../../../../contract/domain.ts';
import { STATE_NAMES } from '../../../../contract/state/state-words.ts';
import { classNames } from '../../../ui/class-names.ts';
import type { CardLine } from './card-line.ts';
import { Glyph } from '../../../ui/glyph.tsx';
import { STATE_MARKS, StateMark } from '../../../domain/state-marks.tsx';
import type { AttentionReason } from '../../../../contract/words.ts';

interface SecondLineProps {
  domain: DomainWire;
  /** What `cardTrouble` returns for the domain. */
  trouble: CardLine | null;
  /** Classes that set the type, whatever the line says. */
  className: string;
}

/** Shows the problem. Without a problem shows the target, because the name above may be cut; without a target, the issuer. */
export function SecondLine({ domain, trouble, className }: SecondLineProps) {
  if (trouble) return <TroubleLine trouble={trouble} className={className} />;
  return (
    <span className={classNames('block h-[1lh] truncate text-fg-3', className)}>
      {targetWords(domain) ?? issuerLine(domain.authority_name, domain.issuer) ?? unknownIssuer(domain)}
    </span>
  );
}

/**
 * Returns the part of the name that describes the target: "via 10.0.0.7" of "example.com via 10.0.0.7". It starts at the
 * first space, because a host has none.
 */
function targetWords({ target, display_name: name }: DomainWire): string | null {
  return target === null ? null : name.slice(name.indexOf(' ') + 1);
}

function unknownIssuer({ fingerprint, checking, state, attention }: DomainWire): string {
  if (fingerprint !== null) return UNKNOWN_ISSUER;
  // While the first check runs, or if it failed, the line below says so.
  return checking || state === 'pending' || attention !== null ? '\u00a0' : STATE_NAMES.unread;
}

type Loud = (typeof STATE_MARKS)[AttentionReason]['tone'];

/** Classes for each colour of a problem: `edge` for the edge of a card, `bar` for the bar at the left of a row. */
const LOOKS: Record<Loud, { text: string; strip: string; edge: string; bar: string }> = {
  soon: {
    text: 'text-soon-fg',
    strip: 'bg-soon-bg text-soon-fg',
    edge: 'border-soon-mark',
    bar: 'shadow-[inset_3px_0_var(--soon-mark)]',
  },
  critical: {
    text: 'text-critical-fg',
    strip: 'bg-critical-bg text-critical-fg',
    edge: 'border-critical-mark',
    bar: 'shadow-[inset_3px_0_var(--critical-mark)]',
  },
  expired: {
    text: 'text-critical-fg',
    strip: 'bg-expired-bg text-expired-fg',
    edge: 'border-expired-mark',
    bar: 'shadow-[inset_3px_0_var(--expired-mark)]',
  },
  revoked: {
    text: 'text-fg',
    strip: 'bg-revoked-bg text-revoked-fg',
    edge: 'border-revoked-mark',
    bar: 'shadow-[inset_3px_0_var(--revoked-mark)]',
  },
};

/** Returns the classes for a problem's colour; null if there is no problem, or nobody has to act. */
export function troubleClasses(trouble: Pick<CardLine, 'state'> | null): (typeof LOOKS)[Loud] | null {
  return !trouble?.state ? null : LOOKS[STATE_MARKS[trouble.state].tone];
}

/** Returns what the line below a card's name says of the problem, after the strip; null for nothing. */
export function belowStrip(trouble: CardLine | null): CardLine | null {
  if (!trouble?.state) return trouble;
  return trouble.more === null ? null : { ...trouble, state: null, text: trouble.more, more: null };
}

/** Shows the problem across the top of a card, in its colour. */
export function TroubleStrip({ trouble }: { trouble: CardLine }) {
  const look = troubleClasses(trouble);
  if (look === null || trouble.state === null) return null;
  return (
    <p
      title={trouble.title}
      className={classNames(
        'flex h-6 min-w-0 items-center gap-1.5 rounded-t-[11px] px-[18px] text-[12.5px]/[17px] font-[550] forced-colors:border-b',
        look.strip,
      )}
    >
      <Glyph name={STATE_MARKS[trouble.state].glyph} className="size-[13px]" />
      <WholeParts text={trouble.text} />
    </p>
  );
}

/**
 * Shows as many parts of the text, separated by dots, commas and colons, as one line has room for: with a second line, a problem that
 * becomes longer would move what is below. The `title` around it has the whole text.
 */
function WholeParts({ text }: { text: string }) {
  const [first, ...others] = text.split(/(?= · |, |: )/);
  return (
    <span className="flex h-[1lh] min-w-0 flex-wrap overflow-hidden">
      <span className="max-w-full truncate">{first}</span>
      {others.map((part, index) => (
        <span key={index} className="whitespace-pre">
          {part}
        </span>
      ))}
    </span>
  );
}

/** Shows a problem in one line, with the full sentence as its `title`. `className` sets the type. */
function TroubleLine({ trouble, className }: { trouble: CardLine; className?: string }) {
  const look = troubleClasses(trouble);
  const { state, text, more, title } = trouble;
  return (
    <span
      title={title}
      className={classNames(
        'flex min-w-0 items-center gap-1.5',
        look ? `font-[520] ${look.text}` : 'num text-fg-2',
        className,
      )}
    >
      {look && state !== null && (
        <StateMark state={state} className="size-[13px] [--glyph-cut:var(--surface)]" />
      )}
      <WholeParts text={more === null ? text : `${text} · ${more}`} />
    </span>
  );
}
