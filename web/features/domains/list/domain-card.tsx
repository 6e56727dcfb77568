import { Link } from '@tanstack/react-router';
import type { DomainWire } from '../../../../contract/domain.ts';
import { RevocationBadge } from '../../../ui/badge.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { FaviconTile } from '../../../ui/favicon-tile.tsx';
import { LifetimeBar } from '../../../ui/lifetime-bar.tsx';
import { Time } from '../../../ui/time.tsx';
import { CardStatusRow } from './card-status-row.tsx';
import { cardId } from '../domain-actions.ts';
import type { DomainActions } from '../domain-actions.ts';
import { DomainMenu } from './domain-menu.tsx';
import { issuerLine } from '../issuer-line.ts';
import { lifetimeOf } from '../lifetime-of.ts';
import { RemainingTime } from './remaining-time.tsx';

interface DomainCardProps {
  domain: DomainWire;
  now: number;
  isSelected: boolean;
  actions: DomainActions;
}

/** One domain of the grid. The whole card leads to the panel; the menu is a target of its own. */
export function DomainCard({ domain, now, isSelected, actions }: DomainCardProps) {
  const lifetime = lifetimeOf(domain);
  return (
    <li
      data-domain-id={domain.id}
      className={classNames(
        'relative flex min-h-[206px] min-w-0 animate-[appear_180ms] flex-col rounded-4 border bg-surface',
        isSelected ? 'border-fg shadow-2' : 'border-line shadow-1 hover:border-line-2 hover:shadow-2',
      )}
    >
      <div className="flex items-center gap-3 pt-4 pr-2.5 pl-[18px]">
        <FaviconTile hostname={domain.display_name} />
        <div className="min-w-0 flex-1">
          <h3 className="truncate">
            <Link
              to="/dashboard"
              search={{ domain: domain.id }}
              resetScroll={false}
              id={cardId(domain.id)}
              title={domain.display_name}
              className="font-mono text-body font-[560] no-underline outline-none after:absolute after:inset-0 after:rounded-4 focus-visible:after:outline-2 focus-visible:after:outline-offset-2 focus-visible:after:outline-ring"
            >
              {domain.display_name}
            </Link>
          </h3>
          <p className="truncate text-[12.5px]/[17px] text-fg-3">
            {issuerLine(domain.authority_name, domain.issuer) ?? 'Issuer not known yet'}
          </p>
        </div>
        <DomainMenu domain={domain} actions={actions} />
      </div>

      <div className="px-[18px] pt-4 pb-3.5">
        <div className="mb-[9px] flex min-h-[26px] items-center justify-between gap-2">
          <RemainingTime domain={domain} now={now} />
          {domain.fingerprint !== null && (domain.is_revoked || domain.paused === null) && (
            <RevocationBadge revoked={domain.is_revoked} />
          )}
        </div>
        <LifetimeBar lifetime={lifetime} now={now} />
        <div className="num mt-1.5 flex justify-between gap-3 text-meta text-fg-3">
          {domain.valid_from !== null && domain.expiry_date !== null ? (
            <>
              <Time iso={domain.valid_from} />
              <Time iso={domain.expiry_date} className="font-[520] text-fg-2" />
            </>
          ) : (
            'No dates known yet'
          )}
        </div>
      </div>

      <CardStatusRow domain={domain} now={now} />
    </li>
  );
}
