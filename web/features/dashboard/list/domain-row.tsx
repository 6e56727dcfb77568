import { memo, type MouseEvent, type Ref } from 'react';
import type { DomainWire } from '../../../../contract/domain.ts';
import { expiryBadge } from '../../../../contract/state/badge.ts';
import { classNames } from '../../../ui/class-names.ts';
import { FaviconTile } from '../../../ui/favicon-tile.tsx';
import { LifetimeBar } from '../../../ui/certificate/lifetime-bar.tsx';
import { Spinner } from '../../../ui/loading.tsx';
import { Time } from '../../../ui/time.tsx';
import { UptimeStrip } from '../../../ui/certificate/uptime-strip.tsx';
import { shortDay, shortDays } from '../../../domain/day-and-month.ts';
import type { DomainActions } from '../../../domain/domain-actions.tsx';
import { lifetimeOf, RemainingTime, RevocationState } from '../../../domain/remaining-time.tsx';
import { SelectBox } from '../selection/select-box.tsx';
import { useSelection } from '../selection/selection-provider.tsx';
import { uptimeText } from './down-line.ts';
import { DomainLink, ProtocolMark } from './domain-card.tsx';
import { DomainMenu } from './domain-menu.tsx';
import { type CardLine, cardTrouble, edgeReason } from './card-line.ts';
import { SecondLine, troubleClasses } from './second-line.tsx';
import { TagList } from './tag-list.tsx';
import { DAY_MS } from '../../../../contract/durations.ts';
import { longDate, relativeTime, utcTitle } from '../../../lib/format.ts';

export const ROW_CELL =
  'h-14 border-b border-line py-1.5 pr-0 align-middle md:pr-4 group-last/row:border-b-0 md:h-12 md:py-1 md:max-[899px]:pr-2';
/** Hide a column where the open panel leaves too little room for it. */
export const HIDDEN_BESIDE_PANEL = 'group-data-beside-panel/table:hidden';
export const BAR_HIDDEN_BESIDE_PANEL = '[@media(width<1340px)]:group-data-beside-panel/table:hidden';
export const REVOCATION_HIDDEN_BESIDE_PANEL = '[@media(width<1240px)]:group-data-beside-panel/table:hidden';
const INTERACTIVE = 'a, button, input, label, [role=menu]';

interface DomainRowProps {
  ref: Ref<HTMLTableRowElement>;
  domain: DomainWire;
  index: number;
  now: number;
  isOpen: boolean;
  /** True to show the expiry below the remaining time, in one column. */
  isNarrow: boolean;
  actions: DomainActions;
}

/** Shows one domain of the table. A click anywhere opens the panel; by keyboard, the name does. */
export const DomainRow = memo(function DomainRow({
  ref,
  domain,
  index,
  now,
  isOpen,
  isNarrow,
  actions,
}: DomainRowProps) {
  const { selected } = useSelection();
  const trouble = cardTrouble(domain, now);
  const bar = troubleClasses({ state: edgeReason(domain, now) })?.bar;
  const open = ({ target }: MouseEvent) => {
    if (!(target instanceof Element && target.closest(INTERACTIVE))) actions.showDetails(domain);
  };
  return (
    <tr
      ref={ref}
      data-row={index}
      data-domain-id={domain.id}
      aria-rowindex={index + 2}
      onClick={open}
      className={classNames(
        'group/row cursor-pointer focus-within:bg-sunken hover:bg-sunken',
        isOpen || selected.has(domain.id) ? 'bg-sunken shadow-[inset_2px_0_var(--fg)]' : bar,
      )}
    >
      <th scope="row" className={classNames(ROW_CELL, 'pl-4 text-left font-normal md:pl-5')}>
        <Name domain={domain} trouble={trouble} now={now} />
      </th>
      {/* 'Certificate not read' is wider than its column. */}
      <td
        colSpan={domain.expiry_date === null && !isNarrow ? 2 : undefined}
        className={classNames(ROW_CELL, 'max-md:hidden')}
      >
        <RemainingTime domain={domain} now={now} short />
        {isNarrow && domain.expiry_date !== null && (
          <Time iso={domain.expiry_date} className="num block text-small text-fg-3" />
        )}
      </td>
      {domain.expiry_date !== null && !isNarrow && (
        <td className={classNames(ROW_CELL, 'num text-[13.5px] text-fg-2 max-md:hidden')}>
          <Time iso={domain.expiry_date} />
        </td>
      )}
      <td
        className={classNames(
          ROW_CELL,
          'hidden [@media(min-width:900px)]:table-cell',
          BAR_HIDDEN_BESIDE_PANEL,
        )}
      >
        <LifetimeBar lifetime={lifetimeOf(domain, now)} now={now} />
      </td>
      <td
        className={classNames(ROW_CELL, 'hidden [@media(min-width:1060px)]:table-cell', HIDDEN_BESIDE_PANEL)}
      >
        <LastChecks domain={domain} />
      </td>
      <td className={classNames(ROW_CELL, 'max-md:hidden', REVOCATION_HIDDEN_BESIDE_PANEL)}>
        <RevocationState domain={domain} place="start" />
      </td>
      <td className={classNames(ROW_CELL, 'hidden text-meta text-fg-3 xl:table-cell', HIDDEN_BESIDE_PANEL)}>
        <Checked domain={domain} now={now} />
      </td>
      <td className={classNames(ROW_CELL, 'pr-1 text-right md:pr-2')}>
        <DomainMenu domain={domain} actions={actions} />
      </td>
    </tr>
  );
});

/** Shows icon or checkbox, the name, and the line below. */
function Name({ domain, trouble, now }: { domain: DomainWire; trouble: CardLine | null; now: number }) {
  return (
    // Between 720 and 900 px, the badge in the next column begins at the very edge of that column.
    <div className="flex items-center gap-2.5 md:max-[899px]:mr-1.5">
      <SelectBox domain={domain}>
        <FaviconTile hostname={domain.display_name} src={domain.favicon} size="small" />
      </SelectBox>
      <div className="min-w-0 flex-1">
        <div className="flex">
          {/* Padding for the focus ring, which would be cut off. */}
          <span className="-m-1 truncate p-1">
            <DomainLink
              domain={domain}
              className="rounded-1 text-[13.5px]/[18px] font-[550] outline-offset-0"
            />
          </span>
        </div>
        <div className="flex min-w-0 items-center gap-2">
          <ProtocolMark domain={domain} />
          <SecondLine domain={domain} trouble={trouble} className="text-[12.5px]/4" />
          <TagList tags={domain.tags} />
        </div>
        <PhoneLines domain={domain} now={now} />
      </div>
    </div>
  );
}

/**
 * Phones show here what wider screens show in other columns. Takes at least two lines, so that rows do not move when a first
 * check ends. The date beside an expiry badge is short.
 */
function PhoneLines({ domain, now }: { domain: DomainWire; now: number }) {
  const notAfter = Date.parse(domain.expiry_date ?? '');
  const isSoon = notAfter > now && expiryBadge(notAfter, now) !== null;
  return (
    <div className="mt-1 md:hidden">
      <div className="flex min-h-6 flex-wrap items-center gap-x-2.5">
        <RemainingTime domain={domain} now={now} short />
        {domain.expiry_date !== null && (
          <time
            dateTime={domain.expiry_date}
            title={utcTitle(domain.expiry_date)}
            className="num text-[12.5px]/6 text-fg-3"
          >
            {(isSoon ? shortDay : longDate)(domain.expiry_date, now)}
          </time>
        )}
      </div>
      <div className="flex h-6 items-center">
        <RevocationState domain={domain} place="beside" />
      </div>
    </div>
  );
}

function LastChecks({ domain: { uptime } }: { domain: DomainWire }) {
  if (uptime.checks === '') return <None />;
  return (
    <span className="flex items-center gap-2.5">
      <UptimeStrip checks={uptime.checks} places={30} className="flex-none" />
      <span className="num text-meta font-[480] text-fg-2">{uptimeText(uptime)}</span>
    </span>
  );
}

function Checked({ domain, now }: { domain: DomainWire; now: number }) {
  if (domain.checking)
    return (
      <span className="flex items-center gap-1.5">
        <Spinner className="size-3.5" />
        Checking…
      </span>
    );
  if (domain.last_checked_at === null) return <None />;
  const at = Date.parse(domain.last_checked_at);
  return (
    <time
      dateTime={domain.last_checked_at}
      title={utcTitle(domain.last_checked_at)}
      className="whitespace-nowrap"
    >
      {/* The column is too narrow for a long date. */}
      {now - at < DAY_MS ? relativeTime(at, now) : shortDays(at, now)(at)}
    </time>
  );
}

/** Fills an empty cell with text for screen readers. */
function None() {
  return (
    <span className="text-fg-3">
      <span aria-hidden="true">–</span>
      <span className="sr-only">Unknown</span>
    </span>
  );
}
