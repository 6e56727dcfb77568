import type { DomainWire } from '../../../../contract/domain.ts';
import { STRIP_CHECKS, UPTIME_DAYS, type UptimeWire } from '../../../../contract/uptime.ts';
import { CheckStripOverlay } from '../../../domain/uptime/check-overlay.tsx';
import { Glyph } from '../../../ui/glyph.tsx';
import { UptimeStrip } from '../../../ui/certificate/uptime-strip.tsx';
import { percentText } from '../../../ui/certificate/uptime-strip-geometry.ts';
import { IncidentList } from './incident-list.tsx';
import { ResponseChart } from './response-chart.tsx';
import { windowWords } from '../../../domain/uptime/uptime-words.ts';
import { counted } from '../../../lib/format.ts';
import { StateMark } from '../../../domain/state-marks.tsx';
import { STATE_NAMES } from '../../../../contract/state/state-words.ts';

const LETTERS = { up: 'u', down: 'd', unknown: '?' } as const;

interface UptimeDetailsProps {
  domain: DomainWire;
  uptime: UptimeWire;
  now: number;
}

/** Shows state and uptime, the last checks, response times and outages. */
export function UptimeDetails({ domain, uptime, now }: UptimeDetailsProps) {
  const { percent, checks, incidents, window_days: days } = uptime;
  const letters = checks.map(({ state }) => LETTERS[state]).join('');
  const hasFailed = incidents.length > 0 || checks.some(({ state }) => state === 'down');
  return (
    <>
      <p className="num flex flex-wrap items-baseline justify-between gap-x-3">
        <State domain={domain} uptime={uptime} />
        {percent !== null && (
          <span className="text-meta text-fg-2">
            <b className="font-semibold text-fg">{percentText(percent, hasFailed ? 'd' : '')}</b>{' '}
            {windowWords(uptime, now)}
          </span>
        )}
      </p>
      <div className="mt-2 flex items-center justify-between gap-2">
        <div className="relative w-fit max-w-full py-1.5">
          <UptimeStrip checks={letters} places={STRIP_CHECKS} className="max-w-full" />
          <CheckStripOverlay label="Last checks" letters={letters} checks={checks} />
        </div>
        {/* On the narrowest screens not all ticks fit. */}
        <span aria-hidden="true" className="num flex-none text-small text-fg-3 max-[359px]:hidden">
          {counted(checks.length, 'check')}
        </span>
      </div>
      <h4 className="mt-4 mb-3.5 text-meta font-[560] text-fg-2">Response time</h4>
      <ResponseChart points={uptime.response_times} now={now} />
      <h4 className="mt-4 mb-2 text-meta font-[560] text-fg-2">Incidents</h4>
      {incidents.length > 0 ? (
        <IncidentList incidents={incidents} now={now} />
      ) : (
        <p className="text-meta text-fg-2">None {windowWords(uptime, now)}.</p>
      )}
      {days < UPTIME_DAYS.premium && (
        <p className="mt-3 text-meta text-fg-3">
          The Free plan shows the last {days} days, Premium the last {UPTIME_DAYS.premium}.
        </p>
      )}
    </>
  );
}

function State({ domain, uptime }: Pick<UptimeDetailsProps, 'domain' | 'uptime'>) {
  const line = 'flex items-center gap-1.5 text-label font-[520]';
  // The panel already says above that the domain is paused.
  if (domain.paused !== null) return <span />;
  if (uptime.state === 'up')
    return (
      <span className={line}>
        <Glyph name="active" className="size-[13px] text-ok-mark" />
        Up
      </span>
    );
  if (uptime.state === 'down')
    return (
      <span className={`${line} text-critical-fg`}>
        <StateMark state="down" />
        {STATE_NAMES.down}
      </span>
    );
  return <span className={`${line} text-fg-2`}>Unknown</span>;
}
