import { useCallback, useEffect, useId, useMemo, useRef, useState } from 'react';
import type { SummaryWire } from '../../../../contract/domain.ts';
import { rowsFor } from '../../../ui/horizon/frames.ts';
import { HorizonCard, useCardLayout } from '../../../ui/horizon/horizon-card.tsx';
import { issuerLine } from '../issuer-line.ts';
import { useDomain } from '../domain-queries.ts';
import { useDashboardSearch } from '../use-dashboard-search.ts';
import { useOpenDomain } from '../use-open-domain.ts';
import { horizonEntries } from './horizon-entries.ts';
import { horizonLinks } from './horizon-links.ts';
import type { Target } from './horizon-links.ts';
import { PinLinks } from './pin-links.tsx';
import { RenewalSpan, SelectedPin } from './pin-highlight.tsx';
import { PinTooltip } from './pin-tooltip.tsx';
import { rowsPreference } from './rows-preference.ts';
import { SpanChoice } from './span-choice.tsx';
import { useAttention } from './use-attention.ts';
import { useSpan } from './use-span.ts';

interface ExpiryHorizonProps {
  /** Null while they are not known: the axis is drawn without pins. */
  summary: Pick<SummaryWire, 'expiries' | 'problems'> | null;
  now: number;
}

/** What the list shows is the user's choice, the horizon shows all: where it leads into the list, nothing else is filtered. */
const EVERYTHING = { q: undefined, tag: undefined, status: undefined };

/** Every certificate that is watched, on a line of days from today: what comes next, and what is already late. */
export function ExpiryHorizon({ summary, now }: ExpiryHorizonProps) {
  const headingId = useId();
  const { span, choose } = useSpan();
  const entries = useMemo(() => (summary ? horizonEntries(summary, now) : []), [summary, now]);
  const rows = useRows(summary === null ? null : entries, now);

  const [ref, layout] = useCardLayout({ span, rows }, { entries, now });
  const links = useMemo(() => (layout ? horizonLinks(layout, now) : []), [layout, now]);
  const { openId, open } = useOpenDomain();
  const { change } = useDashboardSearch();
  const [attendedKey, attention] = useAttention();
  const attended = links.find(({ key }) => key === attendedKey)?.pin ?? null;
  const single = attended?.count === 1 ? attended.entries[0].id : null;
  const { domain } = useDomain(useSettled(single));
  const known = domain?.id === single ? domain : null;
  const selected = links.find(({ target }) => target.kind === 'domain' && target.id === openId);

  const follow = useCallback(
    (target: Target) => {
      attention.release();
      if (target.kind === 'domain') open(target.id);
      else if (target.kind === 'span') choose(target.span);
      else if (target.kind === 'expired') change({ ...EVERYTHING, status: 'expired' });
      else change({ ...EVERYTHING, sort: 'soonest' });
    },
    [attention, open, choose, change],
  );

  return (
    <section aria-labelledby={headingId}>
      <HorizonCard
        ref={ref}
        layout={layout}
        rows={rows}
        heading={<h2 id={headingId}>Expiry horizon</h2>}
        choice={<SpanChoice span={span} onChoose={choose} />}
        onRuler={
          layout &&
          known?.renewal_from != null &&
          attended?.place === 'axis' && (
            <RenewalSpan
              layout={layout}
              from={Date.parse(known.renewal_from)}
              to={attended.entries[0].notAfter}
            />
          )
        }
        onPins={selected && <SelectedPin link={selected} />}
      >
        <PinLinks links={links} openId={openId} attention={attention} onFollow={follow} />
        {layout && attended && (
          <PinTooltip
            pin={attended}
            issuer={known && issuerLine(known.authority_name, known.issuer)}
            now={now}
            width={layout.frame.width}
            onPointerEnter={attention.hold}
            onPointerLeave={attention.releaseSoon}
          />
        )}
      </HorizonCard>
    </section>
  );
}

/** As many as there were the last time, until it is known how many are needed: nothing moves when the pins arrive. */
function useRows(entries: readonly { notAfter: number }[] | null, now: number): 2 | 4 {
  const former = rowsPreference.use();
  const expired = entries?.filter(({ notAfter }) => notAfter < now).length ?? 0;
  const needed = entries && rowsFor({ expired, ahead: entries.length - expired });
  useEffect(() => {
    if (needed) rowsPreference.set(`${needed}`);
  }, [needed]);
  return needed ?? (former === '2' ? 2 : 4);
}

const SETTLED_MS = 120;

/** The value once it stays: who runs along the pins asks for none of them. */
function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    timer.current = setTimeout(() => setSettled(value), SETTLED_MS);
    return () => clearTimeout(timer.current);
  }, [value]);
  return settled;
}
