import type { DomainWire } from '../../../../contract/domain.ts';
import { classNames } from '../../../ui/class-names.ts';
import { issuerLine } from '../issuer-line.ts';
import { cardTrouble } from './card-line.ts';
import { TagList } from './tag-list.tsx';
import { TroubleLine } from './trouble-line.tsx';

interface SecondLineProps {
  domain: DomainWire;
  now: number;
  /** Its type, whatever stands there. */
  className: string;
  /** More of it where nothing is wrong. */
  calmClassName?: string;
}

/** What is wrong, else who issued it and the tags. */
export function SecondLine({ domain, now, className, calmClassName }: SecondLineProps) {
  const trouble = domain.paused === null ? cardTrouble(domain, now) : null;
  if (trouble) return <TroubleLine trouble={trouble} className={className} />;
  return (
    <div className={classNames('flex min-w-0 items-center gap-2 text-fg-3', className, calmClassName)}>
      <span className="min-w-12 truncate">
        {issuerLine(domain.authority_name, domain.issuer) ?? 'Issuer not known yet'}
      </span>
      <span className="min-w-0">
        <TagList tags={domain.tags} />
      </span>
    </div>
  );
}
