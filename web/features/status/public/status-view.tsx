import type { PublicStatus, ShownDomain } from '../../../../contract/status-page.ts';
import { durationInTwoUnits } from '../../../../contract/state/schedule.ts';
import { STATE_NAMES } from '../../../../contract/state/state-words.ts';
import { STATE_MARKS, StateBadge } from '../../../domain/state-marks.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { Glyph, type GlyphName } from '../../../ui/glyph.tsx';
import { DayStrip } from './day-strip.tsx';
import {
  certificateWords,
  dayInUtc,
  headline,
  incidentWords,
  lastUpdate,
  noIncidentsWords,
  refusalOf,
  uptimeWords,
  utcTitle,
} from './status-words.ts';
import { grouped } from '../../../lib/format.ts';

interface StatusViewProps {
  status: PublicStatus;
  now: number;
  /** Heading level of the title: 1 on the page itself, 3 in the preview. */
  level: 1 | 3;
  /** The URL of the page's feed; absent in the preview. */
  feed?: string;
}

/** Shows the content of a status page, also in the preview. */
export function StatusView({ status, now, level, feed }: StatusViewProps) {
  const { title, domains, more, incidents, checked_at: checkedAt } = status;
  const Title = level === 1 ? 'h1' : 'h3';
  const Part = level === 1 ? 'h2' : 'h4';
  return (
    <>
      <Title
        tabIndex={level === 1 ? -1 : undefined}
        className="text-[21px]/[27px] font-bold tracking-[-.022em] [overflow-wrap:anywhere] md:text-page"
      >
        {title}
      </Title>
      <Standing status={status} />
      <p className="num mt-2.5 flex flex-wrap items-center justify-between gap-x-4 text-meta text-fg-2">
        <span>
          {checkedAt === null ? (
            'No check yet'
          ) : (
            <>
              Updated{' '}
              <time dateTime={checkedAt} title={utcTitle(checkedAt)}>
                {lastUpdate(checkedAt, { now })}
              </time>
            </>
          )}
        </span>
        {feed !== undefined && (
          <a href={feed} className="link inline-flex items-center max-md:min-h-11 print:hidden">
            Atom feed
          </a>
        )}
      </p>
      {domains.length > 0 && (
        <>
          <Part className="sr-only">Domains</Part>
          <ul className="mt-4 divide-y divide-line rounded-4 border border-line bg-surface shadow-1">
            {domains.map((domain, index) => (
              // Keyed by index: names can repeat, and the order is fixed.
              <DomainLine key={index} domain={domain} now={now} />
            ))}
          </ul>
        </>
      )}
      {more > 0 && (
        <p className="mt-3 text-label text-fg-2">And {grouped(more)} more that do not fit on this page.</p>
      )}
      {incidents && domains.length > 0 && (
        <section className="mt-8">
          <Part className="text-lead/5 font-semibold">Incidents</Part>
          <Incidents status={status} incidents={incidents} now={now} />
        </section>
      )}
      {domains.some(({ uptime }) => uptime !== null) && (
        <p className="num mt-8 text-meta text-fg-3">
          Each strip shows the last 90 days in UTC, one mark per day. Days without data have low marks.
        </p>
      )}
    </>
  );
}

const FAULT = {
  glyph: STATE_MARKS.down.glyph,
  look: 'border-line bg-critical-bg text-critical-fg',
  mark: 'text-critical-mark',
};
const STANDING: Record<PublicStatus['state'], { glyph: GlyphName; look: string; mark: string }> = {
  up: { glyph: 'active', look: 'border-line bg-ok-bg text-ok-fg', mark: 'text-ok-mark' },
  trouble: FAULT,
  down: FAULT,
  unknown: { glyph: 'fault', look: 'border-line bg-sunken text-fg-2', mark: 'text-fg-3' },
};
/** How a page looks if its only problems are certificates that some clients refuse. */
const SOME_REFUSE = {
  glyph: STATE_MARKS.refused.glyph,
  look: 'border-line bg-soon-bg text-soon-fg',
  mark: 'text-soon-mark',
};

function standingOf({ state, domains }: PublicStatus) {
  const isAcceptedBySome = (domain: ShownDomain) =>
    refusalOf(domain) === null || domain.certificate?.state === 'refused';
  return state === 'trouble' && domains.every(isAcceptedBySome) ? SOME_REFUSE : STANDING[state];
}

/** Shows the overall state in one sentence. Screen readers announce it when it changes. */
function Standing({ status }: { status: PublicStatus }) {
  const { glyph, look, mark } = standingOf(status);
  return (
    <output
      className={classNames(
        'mt-4 flex items-start gap-3 rounded-4 border px-4 py-3.5 text-lead/6 font-semibold forced-colors:border-2 sm:px-5',
        look,
      )}
    >
      <span className="flex h-6 items-center">
        <Glyph name={glyph} className={classNames('size-[18px]', mark)} />
      </span>
      <span className="min-w-0 [overflow-wrap:anywhere]">{headline(status)}</span>
    </output>
  );
}

function DomainLine({ domain, now }: { domain: ShownDomain; now: number }) {
  const { name, certificate, is_unread: isUnread, uptime } = domain;
  return (
    <li className="break-inside-avoid px-4 py-3.5 sm:px-5">
      <div className="flex items-start justify-between gap-4">
        <span className="min-w-0 text-body font-[580] [overflow-wrap:anywhere]">
          <bdi>{name}</bdi>
        </span>
        <State domain={domain} now={now} />
      </div>
      {uptime && (
        <div className="mt-2.5">
          <DayStrip name={name} downMinutes={uptime.down_minutes} now={now} />
        </div>
      )}
      {(uptime || certificate || isUnread) && (
        <div className="num mt-1.5 flex flex-wrap items-center justify-between gap-x-6 gap-y-1.5 text-meta text-fg-2">
          {/* On phones a line of its own below the strip, because it rarely fits beside the certificate. */}
          {uptime && (
            <span className="order-1 ml-auto font-[520] max-sm:order-none max-sm:w-full">
              {uptimeWords(uptime)}
            </span>
          )}
          {certificate && <Certificate certificate={certificate} now={now} />}
          {isUnread && <span className="text-fg-3">{STATE_NAMES.unread}</span>}
        </div>
      )}
    </li>
  );
}

function Certificate({
  certificate,
  now,
}: {
  certificate: NonNullable<ShownDomain['certificate']>;
  now: number;
}) {
  const { state, expiry_date: expiry } = certificate;
  const words = certificateWords(certificate, now);
  const title = `${state === 'expired' ? 'Expired' : 'Expires'} ${dayInUtc(Date.parse(expiry))} UTC`;
  return (
    <span className="flex min-h-6 items-center gap-2">
      <span className="text-fg-3">Certificate</span>
      {state === 'ok' ? (
        <span title={title} className="font-[520]">
          {words}
        </span>
      ) : (
        <StateBadge state={state} title={title}>
          {words}
        </StateBadge>
      )}
    </span>
  );
}

const STATES: Record<ShownDomain['state'], { word: string; glyph: GlyphName; mark: string; look: string }> = {
  up: { word: 'Up', glyph: 'active', mark: 'text-ok-mark', look: 'text-fg-2' },
  down: {
    word: STATE_NAMES.down,
    glyph: STATE_MARKS.down.glyph,
    mark: 'text-critical-mark',
    look: 'text-critical-fg font-[600]',
  },
  unknown: { word: 'Unknown', glyph: 'fault', mark: 'text-fg-3', look: 'text-fg-2' },
  paused: { word: STATE_NAMES.paused, glyph: 'paused', mark: 'text-fg-3', look: 'text-fg-2' },
};

function State({ domain: { state, down_since: downSince }, now }: { domain: ShownDomain; now: number }) {
  const { word, glyph, mark, look } = STATES[state];
  return (
    <span
      className={classNames(
        'num flex min-h-5 flex-none items-center gap-1.5 text-label [--glyph-cut:var(--surface)]',
        look,
      )}
    >
      <Glyph name={glyph} className={classNames('size-[14px]', mark)} />
      <span>
        {word}
        {downSince !== null && (
          <span className="max-sm:sr-only"> for {durationInTwoUnits(now - Date.parse(downSince))}</span>
        )}
      </span>
    </span>
  );
}

interface IncidentsProps {
  status: PublicStatus;
  incidents: NonNullable<PublicStatus['incidents']>;
  now: number;
}

function Incidents({ status, incidents, now }: IncidentsProps) {
  if (incidents.length === 0) return <p className="mt-2 text-body text-fg-2">{noIncidentsWords(status)}</p>;
  return (
    <ul className="mt-3 grid gap-3">
      {incidents.map((incident) => {
        const { started_at: startedAt, ended_at: endedAt } = incident;
        const { when, duration } = incidentWords(incident, { now });
        const isLasting = endedAt === null;
        return (
          <li
            key={incident.id}
            className={classNames(
              'break-inside-avoid border-l-2 pl-3',
              isLasting ? 'border-critical-mark' : 'border-line-2',
            )}
          >
            <p className="text-label font-[560] [overflow-wrap:anywhere]">
              <bdi>{incident.name}</bdi> {isLasting ? 'is down' : 'was down'}
            </p>
            <p className="num flex flex-wrap gap-x-3 text-meta text-fg-2">
              <span
                title={[startedAt, endedAt]
                  .filter((at) => at !== null)
                  .map((at) => utcTitle(at))
                  .join(' – ')}
              >
                {isLasting && 'Since '}
                {when}
              </span>
              <span className="text-fg-3">{duration}</span>
            </p>
          </li>
        );
      })}
    </ul>
  );
}
