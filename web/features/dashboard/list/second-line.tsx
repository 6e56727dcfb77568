import type { DomainWire } from '../../../../contract/domain.ts';
import { classNames } from '../../../ui/class-names.ts';
import { issuerLine } from '../issuer-line.ts';
import { cardTrouble } from './card-line.ts';
import { Glyph } from '../../../ui/glyph.tsx';
import type { CardLine } from './card-line.ts';

interface SecondLineProps {
  domain: DomainWire;
  now: number;
  /** Type styles for every content. */
  className: string;
  /** Additional styles if nothing is wrong. */
  calmClassName?: string;
}

/** Shows the problem, or else the issuer. With a target shows that instead, because the name above it may be cut. */
export function SecondLine({ domain, now, className, calmClassName }: SecondLineProps) {
  const trouble = domain.paused === null ? cardTrouble(domain, now) : null;
  if (trouble) return <TroubleLine trouble={trouble} className={className} />;
  return (
    <span className={classNames('block truncate text-fg-3', className, calmClassName)}>
      {targetWords(domain) ?? issuerLine(domain.authority_name, domain.issuer) ?? 'Issuer unknown'}
    </span>
  );
}

/** Returns what follows the host in the name of a domain with a target: "via 10.0.0.7". A host has no spaces. */
function targetWords({ target, display_name: name }: DomainWire): string | null {
  return target === null ? null : name.slice(name.indexOf(' ') + 1);
}

/** Shows a short line about a problem, with the full sentence as its title. `className` sets its type. */
function TroubleLine({ trouble, className }: { trouble: CardLine; className?: string }) {
  const isCritical = trouble.tone === 'critical';
  if (trouble.tone === 'quiet')
    return (
      <span title={trouble.title} className={classNames('block truncate text-fg-2', className)}>
        {trouble.text}
      </span>
    );
  return (
    <span
      title={trouble.title}
      className={classNames(
        'flex min-w-0 items-center gap-1.5 font-[520]',
        isCritical ? 'text-critical-fg' : 'text-soon-fg',
        className,
      )}
    >
      <Glyph
        name={isCritical ? 'critical' : 'soon'}
        className={classNames(
          'size-[13px] [--glyph-cut:var(--surface)]',
          isCritical ? 'text-critical-mark' : 'text-soon-mark',
        )}
      />
      <span className="truncate">{trouble.text}</span>
    </span>
  );
}
