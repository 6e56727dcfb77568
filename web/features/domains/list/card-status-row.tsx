import type { DomainWire } from '../../../../contract/domain.ts';
import { relativeTime, utcTitle } from '../../../lib/dates.ts';
import { usePublicConfig } from '../../../lib/public-config.ts';
import { classNames } from '../../../ui/class-names.ts';
import { Glyph } from '../../../ui/glyph.tsx';
import { Spinner } from '../../../ui/spinner.tsx';
import { cardTrouble } from './card-line.ts';
import { lifetimeOf } from '../lifetime-of.ts';
import { pausedLine } from '../paused-line.ts';
import { TagList } from './tag-list.tsx';
import { TroubleLine } from './trouble-line.tsx';
import { scheduleWord } from '../schedule-word.ts';

const ROW = 'mt-auto flex min-h-[43px] items-center gap-3 border-t border-line px-[18px] text-meta text-fg-3';

/** The bottom row of a card: that it is paused, else what is wrong, else when it was last looked at. */
export function CardStatusRow({ domain, now }: { domain: DomainWire; now: number }) {
  const { limits } = usePublicConfig();
  if (domain.paused !== null)
    return (
      <div className={ROW}>
        <span className="flex min-w-0 items-center gap-1.5 font-[520] text-fg-2">
          <Glyph name="paused" className="size-[13px]" />
          <span className="truncate">{pausedLine(domain.paused, limits.free_domains)}</span>
        </span>
        <span className="ml-auto min-w-0">
          <TagList tags={domain.tags} />
        </span>
      </div>
    );
  return <CheckedRow domain={domain} now={now} />;
}

function CheckedRow({ domain, now }: { domain: DomainWire; now: number }) {
  const trouble = cardTrouble(domain);
  const lifetime = lifetimeOf(domain);
  const schedule = lifetime && scheduleWord(lifetime.notBefore, lifetime.notAfter, now);
  // Before the first certificate, the place above says it.
  const isBusy = domain.checking && lifetime !== null;
  return (
    <div className={ROW}>
      {trouble ? <TroubleLine trouble={trouble} /> : <LastChecked at={domain.last_checked_at} now={now} />}
      <span className="ml-auto flex max-w-[60%] flex-none items-center gap-1.5">
        <TagList tags={domain.tags} />
        {isBusy && <Spinner className="size-3.5" />}
        {schedule ? (
          <span
            className={classNames(
              'font-[520]',
              schedule === 'renewal overdue' ? 'text-critical-fg' : 'text-fg-2',
            )}
          >
            {schedule}
          </span>
        ) : (
          isBusy && 'Checking…'
        )}
      </span>
    </div>
  );
}

function LastChecked({ at, now }: { at: string | null; now: number }) {
  if (at === null) return <span>Waiting for its first check</span>;
  return (
    <span>
      Checked{' '}
      <time dateTime={at} title={utcTitle(at)}>
        {relativeTime(at, now)}
      </time>
    </span>
  );
}
