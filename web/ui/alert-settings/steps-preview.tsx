import { useId, useState } from 'react';
import { DAY_MS } from '../../../contract/durations.ts';
import type { PlannedAlertWire, PreviewAlerts } from '../../../contract/alerting.ts';
import { sentenceOf } from '../../lib/api-error.ts';
import { Button, LinkButton } from '../button.tsx';
import { classNames } from '../class-names.ts';
import { Glyph } from '../glyph.tsx';
import { Skeleton } from '../loading.tsx';
import { Time } from '../time.tsx';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { alertPreview } from '../../lib/alerts/alert-queries.ts';
import { counted } from '../../lib/format.ts';
import { useDebounced } from '../../lib/use-debounced.ts';

/** Number of alerts shown before the user asks for all. */
const SHOWN = 8;

interface StepsPreviewProps extends PreviewAlerts {
  /** Whether at least one channel can receive alerts. If none can, nothing is sent. */
  reachesAnybody: boolean;
}

/** Previews the alerts that unsaved settings would send, for one domain or all. */
export function StepsPreview({ reachesAnybody, ...question }: StepsPreviewProps) {
  const id = useId();
  const { data, error, refetch, isPlaceholderData } = usePreview(question);
  return (
    <section aria-labelledby={id} className="rounded-3 border border-line bg-sunken px-3.5 py-3">
      <h3 id={id} className="text-label font-semibold">
        Upcoming alerts if nothing is renewed
      </h3>
      {!reachesAnybody ? (
        <p className="mt-1 text-label text-fg-2">
          No alerts will be sent: no chosen channel can receive them.
        </p>
      ) : data ? (
        <div className={classNames(isPlaceholderData && 'opacity-60')} aria-busy={isPlaceholderData}>
          <Upcoming {...data} isOfOne={question.domain_id !== undefined} />
        </div>
      ) : error ? (
        <div role="alert" className="mt-1 text-label text-fg-2">
          Could not load the upcoming alerts: {sentenceOf(error)}{' '}
          <Button variant="ghost" size="small" onClick={() => void refetch()}>
            Try again
          </Button>
        </div>
      ) : (
        <div className="mt-2 grid gap-2">
          <Skeleton className="h-4 w-64 max-w-full" />
          <Skeleton className="h-4 w-56 max-w-full" />
        </div>
      )}
    </section>
  );
}

interface UpcomingProps {
  alerts: PlannedAlertWire[];
  /** Number of further alerts. */
  more: number;
  isOfOne: boolean;
}

/** Lists the next alerts of one domain or of all, with a button that shows the others. */
function Upcoming({ alerts, more, isOfOne }: UpcomingProps) {
  const [isWhole, setWhole] = useState(false);
  const hidden = isWhole ? 0 : Math.max(0, alerts.length - SHOWN);
  return (
    <>
      {alerts.length === 0 ? (
        <p className="mt-1 text-label text-fg-2">
          {isOfOne
            ? 'No alerts are planned: the domain is paused, has no certificate yet, or all its alerts were sent.'
            : 'No alerts in the next 90 days.'}
        </p>
      ) : (
        <ol className="mt-2 grid gap-2">
          {(isWhole ? alerts : alerts.slice(0, SHOWN)).map((alert) => (
            <PlannedAlert
              key={`${alert.domain_id} ${alert.step} ${alert.expiry_date} ${alert.certificate_name ?? ''}`}
              alert={alert}
              isOfOne={isOfOne}
            />
          ))}
        </ol>
      )}
      {hidden > 0 ? (
        <LinkButton className="num mt-1 min-h-11 text-label md:min-h-7" onClick={() => setWhole(true)}>
          Show {hidden} more
        </LinkButton>
      ) : (
        more > 0 && (
          <p className="num mt-2 text-meta text-fg-3">
            and {more} more{isOfOne ? '' : ' in the next 90 days'}
          </p>
        )
      )}
    </>
  );
}

function PlannedAlert({ alert, isOfOne }: { alert: PlannedAlertWire; isOfOne: boolean }) {
  const isCritical = alert.severity === 'critical';
  return (
    <li
      className={classNames(
        'grid gap-x-3 text-label',
        isOfOne ? 'sm:grid-cols-[9.5rem_1fr]' : 'sm:grid-cols-[11.75rem_1fr]',
      )}
    >
      <span className="num flex items-center gap-1.5 self-start text-fg">
        <Glyph
          name={isCritical ? 'critical' : 'soon'}
          className={classNames(
            'size-3 [--glyph-cut:var(--sunken)]',
            isCritical ? 'text-critical-mark' : 'text-soon-mark',
          )}
        />
        <span className="sr-only">{isCritical ? 'Critical, ' : 'Warning, '}</span>
        <Time iso={alert.at} withTime={isInHours(alert)} />
      </span>
      <span className="min-w-0 text-fg-2 max-sm:pl-[18px]">
        {!isOfOne && (
          <span className="block font-mono [overflow-wrap:anywhere] text-fg">
            {alert.display_name}
            {alert.domain_count > 1 && (
              <span className="font-sans text-fg-2">
                {' '}
                and {counted(alert.domain_count - 1, 'more domain')}
              </span>
            )}
            <span className="sr-only">: </span>
          </span>
        )}
        {alert.certificate_name !== null && (
          <span className="[overflow-wrap:anywhere]">{alert.certificate_name}: </span>
        )}
        <span className="num">{alert.label}</span>
      </span>
    </li>
  );
}

/** Returns whether the alert comes less than two days before the expiry. The date alone then does not say how much time is left. */
const isInHours = ({ at, expiry_date: end }: { at: string; expiry_date: string }) =>
  Date.parse(end) - Date.parse(at) < 2 * DAY_MS;

/** Reads the alerts for these settings once the settings have stopped changing. Shows the previous alerts meanwhile. */
function usePreview(question: PreviewAlerts) {
  const asked = useDebounced(JSON.stringify(question));
  return useQuery({
    ...alertPreview(JSON.parse(asked) as PreviewAlerts),
    placeholderData: keepPreviousData,
  });
}
