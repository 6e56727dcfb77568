import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import type { DomainWire } from '../../../../contract/domain.ts';
import { classNames } from '../../../ui/class-names.ts';
import { FaviconTile } from '../../../ui/favicon-tile.tsx';
import { LifetimeBar } from '../../../ui/certificate/lifetime-bar.tsx';
import { Time } from '../../../ui/time.tsx';
import { cardId, type DomainActions } from '../../../domain/domain-actions.tsx';
import { stateOfPanel } from '../panel-history.ts';
import { lifetimeOf, RemainingTime, RevocationState } from '../../../domain/remaining-time.tsx';
import { SelectBox } from '../selection/select-box.tsx';
import { useSelection } from '../selection/selection-provider.tsx';
import { CardBottomRow } from './card-bottom-row.tsx';
import { DomainMenu } from './domain-menu.tsx';
import { cardTrouble, edgeReason } from './card-line.ts';
import { belowStrip, SecondLine, troubleClasses, TroubleStrip } from './second-line.tsx';
import { TagList } from './tag-list.tsx';
import { PROTOCOLS } from '../../../../contract/protocols.ts';

// Only a domain that was added within this time fades in. Other cards mount and unmount while the person scrolls.
const NEW_MS = 10_000;

interface DomainCardProps {
  domain: DomainWire;
  now: number;
  /** Its panel is open. */
  isSelected: boolean;
  actions: DomainActions;
}

/** Shows one domain of the grid. The whole card opens the panel; menu and checkbox are separate targets. */
export const DomainCard = memo(function DomainCard({ domain, now, isSelected, actions }: DomainCardProps) {
  const lifetime = lifetimeOf(domain, now);
  const { selected } = useSelection();
  const trouble = cardTrouble(domain, now);
  const look = troubleClasses(trouble);
  const edge = troubleClasses({ state: edgeReason(domain, now) })?.edge;
  return (
    <div
      className={classNames(
        '@container relative flex h-full min-h-[206px] min-w-0 flex-col rounded-4 border bg-surface',
        now - Date.parse(domain.created_at) < NEW_MS && 'animate-[appear_180ms]',
        isSelected || selected.has(domain.id)
          ? 'border-fg shadow-2'
          : classNames(edge ?? 'border-line hover:border-line-2', 'shadow-1 hover:shadow-2'),
      )}
    >
      {trouble && <TroubleStrip trouble={trouble} />}
      <div className={classNames('flex items-center gap-3 pr-2.5 pl-[18px]', look ? 'md:pt-1' : 'pt-4')}>
        <SelectBox domain={domain}>
          <FaviconTile hostname={domain.display_name} src={domain.favicon} />
        </SelectBox>
        <div className="min-w-0 flex-1">
          <div className="flex items-baseline gap-1.5">
            <h3 className="truncate">
              <DomainLink
                domain={domain}
                className="text-body font-[560] outline-none after:absolute after:inset-0 after:rounded-4 focus-visible:after:outline-2 focus-visible:after:outline-offset-2 focus-visible:after:outline-ring"
              />
            </h3>
            <ProtocolMark domain={domain} />
          </div>
          <SecondLine domain={domain} trouble={belowStrip(trouble)} className="text-[12.5px]/[17px]" />
        </div>
        <DomainMenu domain={domain} actions={actions} />
      </div>

      <div className={classNames('px-[18px] pb-3.5', look ? 'pt-2 md:pt-1.5' : 'pt-4')}>
        <div className="group/state mb-[9px] flex min-h-[26px] items-center justify-between gap-2">
          <div className="flex min-w-0 flex-1 items-center gap-2">
            <RemainingTime domain={domain} now={now} />
            <TagList tags={domain.tags} />
          </div>
          <RevocationState domain={domain} place="end" />
        </div>
        <LifetimeBar lifetime={lifetime} now={now} />
        <div className="num mt-1.5 flex flex-wrap gap-x-1.5 text-meta text-fg-3">
          {domain.valid_from !== null && domain.expiry_date !== null ? (
            <>
              <Time iso={domain.valid_from} />
              <Time iso={domain.expiry_date} className="ml-auto font-[520] text-fg-2" />
            </>
          ) : (
            'No dates yet'
          )}
        </div>
      </div>

      <CardBottomRow domain={domain} onOpen={actions.showDetails} />
    </div>
  );
});

/** Links the name to the panel. This link has the focus when the domain has it. */
export function DomainLink({ domain, className }: { domain: DomainWire; className: string }) {
  return (
    <Link
      to="/dashboard"
      search={(former) => ({ ...former, domain: domain.id })}
      state={stateOfPanel}
      resetScroll={false}
      preload={false}
      id={cardId(domain.id)}
      title={domain.display_name}
      className={classNames('font-mono no-underline', className)}
    >
      {domain.display_name}
    </Link>
  );
}

/** Shows the protocol after the endpoint's name, unless it is https. */
export function ProtocolMark({ domain }: { domain: DomainWire }) {
  const { name } = PROTOCOLS[domain.protocol];
  return name && <span className="flex-none text-small text-fg-3">{name}</span>;
}
