import type { DomainWire, FindingWire } from '../../../../contract/domain.ts';
import type { ReportFindingWire } from '../../../../contract/domain-report.ts';
import { CopyTextButton } from '../../../ui/copy-button.tsx';
import { Glyph } from '../../../ui/glyph.tsx';
import { ShellLine } from '../../../ui/shell-line.tsx';
import { Time } from '../../../ui/time.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { CopyReport } from './copy-report.tsx';
import { Chevron } from './disclosure.tsx';
import { DownloadButton } from './download-button.tsx';
import { withDetails } from './finding-details.ts';
import { Fact, Facts, PanelSection } from './panel-section.tsx';
import { pemFileName } from './pem.ts';
import type { ReportRead } from './report-query.ts';
import type { StandingFinding } from './standing-finding.ts';

const MARKS: Record<FindingWire['severity'], { glyph: 'critical' | 'soon' | 'ok'; colour: string }> = {
  critical: { glyph: 'critical', colour: 'text-critical-mark' },
  warning: { glyph: 'soon', colour: 'text-soon-mark' },
  note: { glyph: 'ok', colour: 'text-fg-3' },
};

interface FindingsProps {
  domain: DomainWire;
  read: ReportRead;
  standing: StandingFinding | null;
}

/** Everything that the last check found, worst first, and how each is mended; nothing when it found nothing. */
export function Findings({ domain, read, standing }: FindingsProps) {
  const { findings } = domain;
  const { report } = read;
  if (standing === null && findings.length === 0) return null;
  return (
    <PanelSection title="Findings" aside={<CopyReport report={report} />}>
      <ul className="-my-1 grid text-label">
        {standing && (
          <li className="flex gap-2 py-1.5">
            <Mark severity={standing.severity} />
            <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
              <Sentence severity={standing.severity}>{standing.message}</Sentence>
              <p className="mt-0.5 text-meta text-fg-3">
                {standing.isDown ? 'Down' : 'Not reached'} since <Time iso={standing.since} withTime />
                {domain.unreachable !== null &&
                  domain.fingerprint !== null &&
                  '. What is shown below was seen before that.'}
              </p>
              <StandingHelp details={report?.findings.find(({ message }) => message === standing.message)} />
            </div>
          </li>
        )}
        {withDetails(findings, report).map(({ finding, details }, index) => (
          <li key={`${finding.code} ${index}`}>
            <Finding
              finding={finding}
              details={details}
              chainPem={report?.chain_pem ?? null}
              hostname={domain.hostname}
              state={report ? 'read' : read.error ? 'failed' : 'reading'}
            />
          </li>
        ))}
      </ul>
    </PanelSection>
  );
}

/** What to do about it, where the report says so. */
function StandingHelp({ details }: { details: ReportFindingWire | undefined }) {
  if (!details) return null;
  return (
    <div className="mt-2 grid gap-2.5">
      {details.fix !== null && <p className="whitespace-pre-line">{visibleText(details.fix)}</p>}
      {details.command !== null && <ShellLine line={details.command} />}
    </div>
  );
}

function Mark({ severity }: { severity: FindingWire['severity'] }) {
  const { glyph, colour } = MARKS[severity];
  return <Glyph name={glyph} className={`mt-[2.5px] size-[13px] [--glyph-cut:var(--surface)] ${colour}`} />;
}

function Sentence({ severity, children }: { severity: FindingWire['severity']; children: string }) {
  return (
    <p className={severity === 'note' ? '' : 'font-[520]'}>
      <span className="sr-only">{severity}: </span>
      {visibleText(children)}
    </p>
  );
}

interface FindingProps {
  finding: FindingWire;
  details: ReportFindingWire | null;
  chainPem: string | null;
  hostname: string;
  state: 'reading' | 'failed' | 'read';
}

const ROW = '-mx-1.5 flex min-h-11 gap-2 px-1.5 py-1.5 [overflow-wrap:anywhere] max-md:py-[13px] md:min-h-0';

/** The sentence, which opens what helps. The row is the same before that is here: nothing moves when it comes. */
function Finding({ finding, details, chainPem, hostname, state }: FindingProps) {
  const head = (
    <>
      <Mark severity={finding.severity} />
      <div className="min-w-0 flex-1">
        <Sentence severity={finding.severity}>{finding.message}</Sentence>
      </div>
    </>
  );
  const hasMore =
    finding.addresses.length > 0 ||
    details?.fix ||
    details?.command ||
    (details?.evidence.length ?? 0) > 0 ||
    state !== 'read';
  if (!hasMore) return <div className={ROW}>{head}</div>;
  return (
    <details>
      <summary
        className={`${ROW} cursor-pointer list-none rounded-2 [&::-webkit-details-marker]:hidden hover:bg-sunken`}
      >
        {head}
        <Chevron className="mt-px" />
      </summary>
      <div className="grid gap-2.5 pt-1 pb-3 pl-[21px]">
        {details?.fix && (
          <p className="[overflow-wrap:anywhere] whitespace-pre-line">{visibleText(details.fix)}</p>
        )}
        {details?.attachment === 'chain' && chainPem !== null && (
          <div className="flex flex-wrap gap-2">
            <DownloadButton
              label="Download chain"
              fileName={pemFileName(hostname, 'fullchain')}
              text={chainPem}
            />
            <CopyTextButton label="Copy chain" text={chainPem} />
          </div>
        )}
        <Evidence finding={finding} details={details} />
        {details?.command && <ShellLine line={details.command} />}
        {state !== 'read' && details === null && (
          <p className="text-meta text-fg-3">{WITHOUT_DETAILS[state]}</p>
        )}
      </div>
    </details>
  );
}

const WITHOUT_DETAILS = {
  reading: 'Loading the details...',
  failed: 'The details could not be loaded.',
};

// Beyond this, a label takes a line of its own.
const LONG_LABEL = 30;

function Evidence({ finding, details }: Pick<FindingProps, 'finding' | 'details'>) {
  const evidence = details?.evidence ?? [];
  const hasAddresses = finding.addresses.length > 0;
  if (evidence.length === 0 && !hasAddresses) return null;
  return (
    <Facts className="grid-cols-[97px_1fr] gap-y-1.5! text-meta!">
      {evidence.map(({ label, value }, index) => (
        <Fact key={index} term={visibleText(label)} isWide={label.length > LONG_LABEL}>
          <bdi className="whitespace-pre-line">{visibleText(value)}</bdi>
        </Fact>
      ))}
      {hasAddresses && (
        <Fact term="Seen at" mono>
          {finding.addresses.join(', ')}
        </Fact>
      )}
    </Facts>
  );
}
