import type { DomainWire, FindingWire } from '../../../../contract/domain.ts';
import type { ReportFindingWire, ReportWire } from '../../../../contract/domain-report.ts';
import { STATE_NAMES } from '../../../../contract/state/state-words.ts';
import { RefreshCw } from 'lucide-react';
import { Button } from '../../../ui/button.tsx';
import { CopyTextButton } from '../../../ui/copy-button.tsx';
import { Glyph } from '../../../ui/glyph.tsx';
import { ShellCommand } from '../../../ui/shell-command.tsx';
import { Time } from '../../../ui/time.tsx';
import { serverText, visibleText } from '../../../ui/visible-text.ts';
import { Chevron } from '../../../domain/disclosure.tsx';
import { type MarkedState, StateMark, stateOfFinding } from '../../../domain/state-marks.tsx';
import { DownloadButton } from '../certificate/download-button.tsx';
import { Fact, Facts, PanelSection } from '../../../domain/panel-section.tsx';
import type { DomainActions } from '../../../domain/domain-actions.tsx';
import { pemFileName } from '../certificate/pem.ts';
import type { ReportRead } from './report-query.ts';
import type { StandingFinding } from './standing-finding.ts';
import { TrustAuthority } from './trust-authority.tsx';
import type { FixedFinding } from './use-fixed-findings.ts';

interface FindingsProps {
  domain: DomainWire;
  read: ReportRead;
  standing: StandingFinding | null;
  fixed: readonly FixedFinding[];
  actions: DomainActions;
}

/**
 * Shows everything that the last check found and how to fix it. The worst finding comes first and is open. Findings that have
 * been fixed meanwhile come last.
 */
export function Findings({ domain, read, standing, fixed, actions }: FindingsProps) {
  const { findings } = domain;
  const { report } = read;
  if (standing === null && findings.length + fixed.length === 0) return null;
  return (
    <PanelSection title="Findings" aside={<CopyReport report={report} />}>
      <ul className="-my-1 grid text-label">
        {standing && (
          <li className="flex gap-2 py-1.5">
            <Mark state={standing.isDown ? 'down' : 'unreachable'} />
            <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
              <Sentence severity={standing.severity}>{standing.message}</Sentence>
              <p className="mt-0.5 text-meta text-fg-3">
                {standing.isDown ? STATE_NAMES.down : STATE_NAMES.unreachable} since{' '}
                <Time iso={standing.since} withTime />
                {domain.unreachable !== null &&
                  domain.fingerprint !== null &&
                  '. The details below are older.'}
              </p>
              <StandingHelp
                domain={domain}
                details={report?.findings.find(({ message }) => message === standing.message)}
                actions={actions}
              />
            </div>
          </li>
        )}
        {withDetails(findings, report).map(({ finding, details }, index) => (
          <li key={`${finding.code} ${index}`}>
            <Finding
              domain={domain}
              finding={finding}
              details={details}
              isWorst={index === 0 && standing === null && finding.severity !== 'note'}
              chainPem={report?.chain_pem ?? null}
              actions={actions}
              state={report ? 'read' : read.error ? 'failed' : 'reading'}
            />
          </li>
        ))}
      </ul>
      {/* This element always exists, so that screen readers announce what is added to it. */}
      <div role="status" className="grid text-label not-empty:mt-1">
        {fixed.map(({ code, message }) => (
          <p key={code} className="flex gap-2 py-1.5">
            <Glyph name="active" className="mt-[2.5px] size-[13px] text-ok-mark" />
            <span className="min-w-0 flex-1 [overflow-wrap:anywhere] text-fg-2">
              <span className="font-[560] text-fg">Fixed</span> · {serverText(message)}
            </span>
          </p>
        ))}
      </div>
    </PanelSection>
  );
}

interface StandingHelpProps {
  domain: DomainWire;
  details: ReportFindingWire | undefined;
  actions: DomainActions;
}

/** Shows the fix and the command for the problem, if the report has them, and a button that starts a check. */
function StandingHelp({ domain, details, actions }: StandingHelpProps) {
  const command = details?.command ?? null;
  return (
    <div className="mt-2 grid gap-2.5">
      {details?.fix && <p className="whitespace-pre-line">{serverText(details.fix)}</p>}
      {details && <EvidenceFacts {...details} />}
      {command !== null && <ShellCommand command={command} />}
      <div className="flex flex-wrap gap-2">
        {command !== null && <CopyTextButton label="Copy command" text={command} variant="tinted" />}
        <CheckAgain domain={domain} actions={actions} />
      </div>
    </div>
  );
}

function CheckAgain({ domain, actions }: { domain: DomainWire; actions: DomainActions }) {
  if (domain.paused !== null) return null;
  return (
    <Button variant="outline" size="small" busy={domain.checking} onClick={() => actions.refresh(domain)}>
      {!domain.checking && <RefreshCw className="size-4" strokeWidth={1.6} aria-hidden="true" />}
      Check again
    </Button>
  );
}

function Mark({ state }: { state: MarkedState | null }) {
  const place = 'mt-[2.5px] size-[13px] [--glyph-cut:var(--surface)]';
  return state ? (
    <StateMark state={state} className={place} />
  ) : (
    <Glyph name="ok" className={`${place} text-fg-3`} />
  );
}

function Sentence({ severity, children }: { severity: FindingWire['severity']; children: string }) {
  return (
    <p className={severity === 'note' ? '' : 'font-[520]'}>
      <span className="sr-only">{severity}: </span>
      {serverText(children)}
    </p>
  );
}

interface FindingProps {
  domain: DomainWire;
  finding: FindingWire;
  details: ReportFindingWire | null;
  /** True for the worst finding. It is open at first and has the button that starts a check. */
  isWorst: boolean;
  chainPem: string | null;
  actions: DomainActions;
  state: 'reading' | 'failed' | 'read';
}

const ROW = '-mx-1.5 flex min-h-11 gap-2 px-1.5 py-1.5 [overflow-wrap:anywhere] max-md:py-[13px] md:min-h-0';

/** Shows the message, which unfolds the help. Looks the same before the help has loaded. */
function Finding({ domain, finding, details, isWorst, chainPem, actions, state }: FindingProps) {
  const head = (
    <>
      <Mark state={domain.attention && stateOfFinding(finding, domain.state)} />
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
    (isWorst && domain.paused === null) ||
    state !== 'read';
  if (!hasMore) return <div className={ROW}>{head}</div>;
  return (
    <details open={isWorst}>
      <summary
        className={`${ROW} cursor-pointer list-none rounded-2 [&::-webkit-details-marker]:hidden hover:bg-sunken`}
      >
        {head}
        <Chevron className="mt-px" />
      </summary>
      <div className="grid gap-2.5 pt-1 pb-3 pl-[21px]">
        {details?.fix && (
          <p className="[overflow-wrap:anywhere] whitespace-pre-line">{serverText(details.fix)}</p>
        )}
        <div className="flex flex-wrap gap-2 empty:hidden">
          {details?.attachment === 'chain' && chainPem !== null ? (
            <>
              <DownloadButton
                label="Download chain"
                fileName={pemFileName(domain.hostname, 'fullchain')}
                text={chainPem}
                variant="tinted"
              />
              <CopyTextButton label="Copy chain" text={chainPem} />
            </>
          ) : finding.code === 'untrusted_root' ? (
            <TrustAuthority domain={domain} />
          ) : (
            isWorst &&
            details?.command && (
              <CopyTextButton label="Copy command" text={details.command} variant="tinted" />
            )
          )}
          {isWorst && <CheckAgain domain={domain} actions={actions} />}
        </div>
        <EvidenceFacts evidence={details?.evidence ?? []} addresses={finding.addresses} />
        {details?.command && <ShellCommand command={details.command} />}
        {state !== 'read' && details === null && (
          <p className="text-meta text-fg-3">{WITHOUT_DETAILS[state]}</p>
        )}
      </div>
    </details>
  );
}

const WITHOUT_DETAILS = {
  reading: 'Loading the details...',
  failed: 'Could not load the details.',
};

// Labels longer than this get a line of their own.
const LONG_LABEL = 30;
/** Labels of host names, addresses and serial numbers, which the whole panel sets in monospace. */
const MACHINE_FACT =
  /^(Account|Address|At|CAA|Records of|URL|Expected name|Names|Serial number|Subject alternative names)(, not verified)?$/;
/** Labels of text that a stranger's server sent. It is shown as it is, also if it contains a time. */
const QUOTED_FACT = /^Answer( of .+)?$/;

interface EvidenceProps {
  evidence: ReportFindingWire['evidence'];
  addresses?: readonly string[];
}

export function EvidenceFacts({ evidence, addresses = [] }: EvidenceProps) {
  if (evidence.length + addresses.length === 0) return null;
  return (
    <Facts className="grid-cols-[97px_1fr] gap-y-1.5! text-meta!">
      {evidence.map(({ label, value }, index) => (
        <Fact
          key={index}
          term={visibleText(label)}
          mono={MACHINE_FACT.test(label)}
          isWide={label.length > LONG_LABEL}
        >
          <bdi className="whitespace-pre-line">
            {QUOTED_FACT.test(label) ? visibleText(value) : serverText(value)}
          </bdi>
        </Fact>
      ))}
      {addresses.length > 0 && (
        <Fact term="Seen at" mono>
          {addresses.join(', ')}
        </Fact>
      )}
    </Facts>
  );
}

export interface ShownFinding {
  finding: FindingWire;
  /** The report's details; null until loaded, or if the report is of another check. */
  details: ReportFindingWire | null;
}

/**
 * Returns the domain's findings with their details from the report. Matches them by message, because two findings with the
 * same code are about different certificates or addresses.
 */
export function withDetails(
  findings: readonly FindingWire[],
  report: ReportWire | undefined,
): ShownFinding[] {
  const left = [...(report?.findings ?? [])];
  return findings.map((finding) => {
    const index = left.findIndex(({ code, message }) => code === finding.code && message === finding.message);
    const [details = null] = index < 0 ? [] : left.splice(index, 1);
    return { finding, details };
  });
}

/** Copies the whole report as Markdown, for a ticket or an email. Disabled until the report is loaded. */
export function CopyReport({ report }: { report: ReportWire | undefined }) {
  return (
    // The button's background extends into the margins, so that its text stays aligned.
    <span className="-my-2 -mr-3 block">
      <CopyTextButton
        label="Copy report"
        text={report?.markdown ?? null}
        confirmation="Report copied as Markdown."
        variant="ghost"
      />
    </span>
  );
}
