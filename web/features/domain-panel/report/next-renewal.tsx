import type { ForecastWire } from '../../../../contract/domain-report.ts';
import { Chevron, Disclosure } from '../../../domain/disclosure.tsx';
import { PanelSection } from '../../../domain/panel-section.tsx';
import { StateMark } from '../../../domain/state-marks.tsx';
import { counted, grouped } from '../../../lib/format.ts';
import { CopyTextButton } from '../../../ui/copy-button.tsx';
import { Glyph } from '../../../ui/glyph.tsx';
import { CodeBox } from '../../../ui/shell-command.tsx';
import { Time } from '../../../ui/time.tsx';
import { serverText } from '../../../ui/visible-text.ts';
import { EvidenceFacts } from './findings.tsx';
import type { ReportRead } from './report-query.ts';

/** Shows whether the next renewal will work and why. Shows nothing if there is no forecast and none will be made soon. */
export function NextRenewal({ read: { report } }: { read: ReportRead }) {
  const forecast = report?.forecast;
  if (forecast) return <ForecastSection forecast={forecast} />;
  if (!report?.forecast_pending) return null;
  return (
    <PanelSection title="Next renewal">
      <p className="text-label text-fg-2">
        There is no forecast of the next renewal yet. We will make the first one within a day.
      </p>
    </PanelSection>
  );
}

function ForecastSection({ forecast }: { forecast: ForecastWire }) {
  const { outcome, message, record, checks } = forecast;
  const open = checks.filter(({ state }) => state !== 'passes');
  const passed = checks.filter(({ state }) => state === 'passes');
  return (
    <PanelSection
      title="Next renewal"
      aside={record && `${grouped(record.right)} of ${grouped(record.of)} forecasts right`}
    >
      <div className="flex gap-2 text-label [overflow-wrap:anywhere]">
        <Mark state={outcome === 'works' ? 'passes' : outcome} />
        <p className="min-w-0 flex-1 font-[520]">{serverText(message)}</p>
      </div>
      <p className="mt-1 mb-2 pl-[21px] text-meta text-fg-3">
        {forecast.method !== null && `You seem to use ${forecast.method}. `}
        As of <Time iso={forecast.checked_at} withTime />.
      </p>
      <Checks checks={open} isFirstOpen={outcome === 'fails'} />
      {passed.length > 0 && (
        <Disclosure summary={`${counted(passed.length, 'check')} passed`} className="pl-[21px]">
          <Checks checks={passed} />
        </Disclosure>
      )}
    </PanelSection>
  );
}

type Check = ForecastWire['checks'][number];

function Mark({ state }: { state: Check['state'] }) {
  const place = 'mt-[2.5px] size-[13px] [--glyph-cut:var(--surface)]';
  if (state === 'passes') return <Glyph name="active" className={`${place} text-ok-mark`} />;
  if (state === 'not_known') return <Glyph name="ok" className={`${place} text-fg-3`} />;
  return <StateMark state={state === 'fails' ? 'untrusted' : 'flawed'} className={place} />;
}

const STATES: Record<Check['state'], string> = {
  passes: 'passed',
  fails: 'fails',
  depends: 'depends on the method',
  warns: 'warning',
  not_known: 'not known',
};

function Checks({ checks, isFirstOpen = false }: { checks: readonly Check[]; isFirstOpen?: boolean }) {
  return (
    <ul className="grid text-label">
      {checks.map((check, index) => (
        <li key={index}>
          <CheckRow check={check} isOpen={isFirstOpen && index === 0} />
        </li>
      ))}
    </ul>
  );
}

const ROW = '-mx-1.5 flex min-h-11 gap-2 px-1.5 py-1.5 [overflow-wrap:anywhere] max-md:py-[13px] md:min-h-0';

/** The message of a check has at most this many names. */
const NAMES_IN_MESSAGE = 3;

/** Shows the message of a check. A click unfolds what to do and the evidence. */
function CheckRow({ check, isOpen }: { check: Check; isOpen: boolean }) {
  const { state, title, message, names, evidence, fix, zone_record: record } = check;
  const hasAllNames = names.length <= NAMES_IN_MESSAGE;
  const facts = hasAllNames ? evidence : [{ label: 'Names', value: names.join(', ') }, ...evidence];
  const head = (
    <>
      <Mark state={state} />
      <p className="min-w-0 flex-1">
        <span className="font-[560]">{title}</span>
        <span className="sr-only"> ({STATES[state]})</span> · {serverText(message)}
      </p>
    </>
  );
  if (fix === null && record === null && facts.length === 0) return <div className={ROW}>{head}</div>;
  return (
    <details open={isOpen}>
      <summary
        className={`${ROW} cursor-pointer list-none rounded-2 [&::-webkit-details-marker]:hidden hover:bg-sunken`}
      >
        {head}
        <Chevron className="mt-px" />
      </summary>
      <div className="grid gap-2.5 pt-1 pb-3 pl-[21px]">
        {fix !== null && <p className="[overflow-wrap:anywhere] whitespace-pre-line">{serverText(fix)}</p>}
        {record !== null && (
          <>
            <CodeBox title="DNS record to write" code={record} />
            <div>
              <CopyTextButton label="Copy record" text={record} variant={isOpen ? 'tinted' : 'outline'} />
            </div>
          </>
        )}
        <EvidenceFacts evidence={facts} />
      </div>
    </details>
  );
}
