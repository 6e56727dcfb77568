import { issuerLine } from '../../../../contract/check-words.ts';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useId, useMemo, useState } from 'react';
import type { SummaryWire } from '../../../../contract/domain.ts';
import { rowsFor, shownDays } from '../../../ui/horizon/frames.ts';
import { countOf, type HorizonEntry, MAX_SINGLE } from '../../../ui/horizon/horizon-layout.ts';
import { HorizonCard, useCardLayout } from '../../../ui/horizon/horizon-card.tsx';
import { isUnfiltered, NO_FILTER } from '../../../domain/domain-filter.ts';
import { useDomain, useMatchingDomains } from '../../../domain/domain-queries.ts';
import type { DomainList } from '../list/use-domain-list.ts';
import { useDashboardSearch } from '../use-dashboard-search.ts';
import { useOpenDomain } from '../use-open-domain.ts';
import { horizonEntries, type ListedPins } from './horizon-entries.ts';
import { type HorizonLink, horizonLinks, SPAN_NAMES, type Target } from './horizon-links.ts';
import { PinLinks } from './pin-links.tsx';
import { RenewalSpan, SelectedPin } from './pin-highlight.tsx';
import { usePinHighlight } from './use-pin-highlight.ts';
import { createPreference } from '../../../lib/browser/preference.ts';
import { useDebounced } from '../../../lib/use-debounced.ts';
import { HORIZON_SPANS, type HorizonSpan } from '../../../lib/dashboard-search.ts';
import { lazyOnMove, lazyPart } from '../../../ui/lazy.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { segmentClass, SEGMENTS } from '../../../ui/segments.ts';

// The tooltip's code loads when the pointer or the focus first moves.
const PinTooltip = lazyOnMove(async () => (await import('./pin-tooltip.tsx')).PinTooltip);

// Loads with the first account that has so many certificates that they are drawn as bars.
const DayHistogram = lazyPart(async () => (await import('./day-histogram.tsx')).DayHistogram);

const preference = createPreference('span', ['30', '90', '365'], '90');

// Delay before the domain under the pointer is requested, in ms, so that moving along the pins requests nothing.
const HOVER_MS = 120;

/** The number of rows of names that the horizon had at the last visit. */
const rowsPreference = createPreference('horizon-rows', ['2', '4'], '4');

interface ExpiryHorizonProps {
  /** Null while loading: the axis is drawn without pins. */
  summary: Pick<SummaryWire, 'expiries' | 'problems'> | null;
  now: number;
  /** The list below, whose filters dim the pins of other domains. */
  list: DomainList;
}

/** Draws every certificate on a timeline from today. */
export function ExpiryHorizon({ summary, now, list }: ExpiryHorizonProps) {
  const headingId = useId();
  const { span, choose } = useSpan();
  const listed = useListed(list);
  const entries = useMemo(
    () => (summary ? horizonEntries(summary, now, listed) : []),
    [summary, now, listed],
  );
  const rows = useRows(summary === null ? null : entries, now);

  const [ref, layout] = useCardLayout({ span, rows }, { entries, now });
  const links = useMemo(() => (layout ? horizonLinks(layout, now) : []), [layout, now]);
  const { openId } = useOpenDomain();
  const { change } = useDashboardSearch();
  const { highlighted, highlight, known } = useHighlightedPin(links);
  const opened = list.loaded.find(({ id }) => id === openId);
  const selected = links.find(({ target }) =>
    target.kind === 'certificate'
      ? target.fingerprint === opened?.fingerprint
      : target.kind === 'domain' && target.id === openId,
  );

  const follow = useFollow(choose, highlight.release);
  const select = useCallback((period: string | undefined) => change({ expires: period }), [change]);

  return (
    <section aria-labelledby={headingId}>
      <HorizonCard
        ref={ref}
        layout={layout}
        rows={rows}
        heading={<h2 id={headingId}>Expiry horizon</h2>}
        choice={
          <SpanChoice
            span={layout?.frame.days ?? span}
            isEmpty={(days) => shownDays(days, entries, now) > days}
            onChoose={choose}
          />
        }
        onRuler={
          layout &&
          known?.renewal_from != null &&
          highlighted?.place === 'axis' && (
            <RenewalSpan
              layout={layout}
              from={Date.parse(known.renewal_from)}
              to={highlighted.entry.notAfter}
            />
          )
        }
        onPins={selected && <SelectedPin link={selected} />}
      >
        {layout && layout.crowd.length > 0 && (
          <DayHistogram
            Tooltip={PinTooltip}
            layout={layout}
            list={list}
            now={now}
            openId={openId}
            onFollow={follow}
            onSelect={select}
          />
        )}
        <PinLinks
          label="Certificates by expiry date"
          links={links}
          openId={openId}
          highlight={highlight}
          onFollow={follow}
        />
        <PinTooltip
          described={
            highlighted && {
              ...highlighted,
              entries: [highlighted.entry],
              count: highlighted.entry.count,
            }
          }
          issuer={known && issuerLine(known.authority_name, known.issuer)}
          now={now}
          width={layout?.frame.width ?? 0}
          onPointerEnter={highlight.hold}
          onPointerLeave={highlight.releaseSoon}
        />
      </HorizonCard>
    </section>
  );
}

/**
 * Returns the highlighted pin, the functions that change it, and the pin's domain. The domain is null for a pin of several
 * domains, and until it is loaded.
 */
function useHighlightedPin(links: readonly HorizonLink[]) {
  const [highlightedKey, highlight] = usePinHighlight();
  const highlighted = links.find(({ key }) => key === highlightedKey)?.pin ?? null;
  const single = highlighted?.entry.count === 1 ? highlighted.entry.id : null;
  const { domain } = useDomain(useDebounced(single, HOVER_MS));
  return { highlighted, highlight, known: domain?.id === single ? domain : null };
}

/** Returns the function that follows a link of the horizon: it opens a domain or a certificate, chooses a span, or filters the list. */
function useFollow(choose: (span: HorizonSpan) => void, release: () => void) {
  const { open } = useOpenDomain();
  const { change } = useDashboardSearch();
  const navigate = useNavigate();
  return useCallback(
    (target: Target) => {
      release();
      if (target.kind === 'domain') open(target.id);
      else if (target.kind === 'certificate')
        void navigate({ to: '/certificates', search: { certificate: target.fingerprint } });
      else if (target.kind === 'span') choose(target.span);
      // The horizon shows all domains, so its links drop the list's filters.
      else if (target.kind === 'expired') change({ ...NO_FILTER, status: 'expired' });
      else change({ expires: target.period });
    },
    [release, open, navigate, choose, change],
  );
}

/** Returns what the filtered list contains; null without a filter, and until the ids are loaded. */
function useListed({ filter, total, loaded }: DomainList): ListedPins | null {
  const isFiltered = total !== null && !isUnfiltered(filter);
  const isLoaded = total === loaded.length;
  const { data } = useMatchingDomains(filter, isFiltered && !isLoaded);
  return useMemo(() => {
    if (!isFiltered) return null;
    if (isLoaded)
      return {
        ids: new Set(loaded.map(({ id }) => id)),
        days: new Set(loaded.flatMap(({ expiry_date: date }) => (date === null ? [] : [date.slice(0, 10)]))),
      };
    // The API returns at most 10,000 ids.
    if (!data || data.ids.length < data.total) return null;
    return { ids: new Set(data.ids), days: new Set(data.expiry_days) };
  }, [isFiltered, isLoaded, loaded, data]);
}

/**
 * Returns the number of rows of names. While the pins load, it is the number of the last visit. Then it stays, so that adding or
 * removing a domain does not move the list. Only if so many certificates are added that they are drawn as bars, it becomes four.
 */
function useRows(entries: readonly HorizonEntry[] | null, now: number): 2 | 4 {
  const former = rowsPreference.use();
  const [held, setHeld] = useState<2 | 4 | null>(null);
  const expired = entries?.filter(({ notAfter }) => notAfter < now).length ?? 0;
  const needed = entries && rowsFor({ expired, ahead: entries.length - expired });
  useEffect(() => {
    if (needed) rowsPreference.set(`${needed}`);
  }, [needed]);
  const isHeld = held === 4 || (held === 2 && countOf(entries ?? []) <= MAX_SINGLE);
  if (needed !== null && !isHeld && held !== needed) setHeld(needed);
  return held ?? (former === '2' ? 2 : 4);
}

interface SpanChoiceProps {
  /** In days. */
  span: number;
  /** Returns whether nothing expires within this span. */
  isEmpty: (days: HorizonSpan) => boolean;
  onChoose: (span: HorizonSpan) => void;
}

/** Lets the person choose one of the spans that are not empty. */
function SpanChoice({ span, isEmpty, onChoose }: SpanChoiceProps) {
  const name = useId();
  return (
    <fieldset className={SEGMENTS}>
      <legend className="sr-only">Range</legend>
      {HORIZON_SPANS.filter((days) => !isEmpty(days)).map((days) => (
        <label
          key={days}
          className={classNames(
            segmentClass(days === span),
            'cursor-pointer has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-ring',
          )}
        >
          <input
            type="radio"
            name={name}
            className="sr-only"
            checked={days === span}
            onChange={() => onChoose(days)}
          />
          {SPAN_NAMES[days]}
        </label>
      ))}
    </fieldset>
  );
}

/** Returns the span from the URL, else the last choice, else 90 days. */
function useSpan(): { span: HorizonSpan; choose: (span: HorizonSpan) => void } {
  const { search, change } = useDashboardSearch();
  const preferred = Number(preference.use());
  const span = search.span ?? HORIZON_SPANS.find((days) => days === preferred) ?? 90;
  const choose = useCallback(
    (days: HorizonSpan) => {
      preference.set(`${days}`);
      change({ span: days }, { replace: true });
    },
    [change],
  );
  return { span, choose };
}
