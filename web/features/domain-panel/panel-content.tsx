import { Ellipsis, X } from 'lucide-react';
import { Tabs } from 'radix-ui';
import { type ComponentType, useEffect, useRef } from 'react';
import type { DomainWire } from '../../../contract/domain.ts';
import { brokenStates } from '../../../contract/state/broken-states.ts';
import { findingReasons } from '../../domain/finding-reasons.ts';
import { overdueReason, STATE_NAMES } from '../../../contract/state/state-words.ts';
import { sentenceOf } from '../../lib/api-error.ts';
import { PANEL_SECTIONS, type PanelSectionName } from '../../lib/dashboard-search.ts';
import { relativeTime } from '../../lib/format.ts';
import { RevocationState } from '../../domain/remaining-time.tsx';
import { StateBadge } from '../../domain/state-marks.tsx';
import { classNames } from '../../ui/class-names.ts';
import { FaviconTile } from '../../ui/favicon-tile.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { ChainSection } from './certificate/chain-section.tsx';
import {
  type DomainActions,
  PANEL_HEADING,
  PauseItem,
  RefreshItem,
  RemoveItem,
} from '../../domain/domain-actions.tsx';
import { JoinedErrors, useJoinedError } from '../../domain/section-error.tsx';
import { NotChecked } from './not-checked.tsx';
import { Overview } from './overview.tsx';
import { type ReportRead, useReport } from './report/report-query.ts';
import { standingFinding } from './report/standing-finding.ts';
import { useFixedFindings } from './report/use-fixed-findings.ts';
import { useUptime } from '../../domain/uptime/check-overlay.tsx';
import { UptimeSection } from './uptime/uptime-section.tsx';
import { Menu, MenuSeparator } from '../../ui/menu.tsx';

interface PanelContentProps {
  /** Section about the alerts of the domain. */
  Alerts: ComponentType<{ domain: DomainWire }>;
  domain: DomainWire;
  section: PanelSectionName;
  onSection: (section: PanelSectionName) => void;
  now: number;
  actions: DomainActions;
  onClose: () => void;
}

export function PanelContent({ onClose, ...rest }: PanelContentProps) {
  const { domain, actions, now } = rest;
  return (
    <>
      <header className="flex items-center gap-1 py-3.5 pr-2 pl-5 md:pr-3.5">
        <FaviconTile hostname={domain.display_name} src={domain.favicon} />
        <div className="mr-1 ml-2 min-w-0 flex-1">
          {/* The key remounts this and the content below for another domain, so that the heading takes the focus. */}
          <PanelHeading key={domain.id}>{domain.display_name}</PanelHeading>
          <HostState domain={domain} now={now} />
        </div>
        <PanelMenu domain={domain} actions={actions} />
        <IconButton label="Close" className="max-md:size-11" onClick={onClose}>
          <X className="size-4" strokeWidth={1.6} aria-hidden="true" />
        </IconButton>
      </header>
      <Sections key={domain.id} {...rest} />
    </>
  );
}

const TITLES: Record<PanelSectionName, string> = {
  overview: 'Overview',
  alerts: 'Alerts',
  chain: 'Chain',
  uptime: 'Uptime',
};

/** Shows one section at a time. The tabs stay above the scrolling content. */
function Sections({ Alerts, domain, section, onSection, now, actions }: Omit<PanelContentProps, 'onClose'>) {
  const read = useReport(domain);
  const { data: uptime } = useUptime(domain);
  const cause = uptime?.incidents.find(({ ended_at: endedAt }) => endedAt === null)?.message ?? null;
  const standing = standingFinding(domain, cause);
  const fixed = useFixedFindings(domain, standing);
  return (
    <Tabs.Root
      value={section}
      onValueChange={(value) => onSection(PANEL_SECTIONS.find((name) => name === value) ?? 'overview')}
      // Each chosen section is a history entry, so the arrow keys only move the focus and do not choose.
      activationMode="manual"
      className="flex min-h-0 flex-1 flex-col"
    >
      <Tabs.List
        aria-label="Sections"
        className="flex flex-none justify-between border-b border-line px-3 md:justify-start md:px-[13px]"
      >
        {PANEL_SECTIONS.map((name) => (
          <Tabs.Trigger
            key={name}
            value={name}
            className="-mb-px h-11 flex-none border-b-2 border-transparent px-2 text-label font-[520] text-fg-2 hover:text-fg data-[state=active]:border-fg data-[state=active]:text-fg md:h-9"
          >
            {TITLES[name]}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      {PANEL_SECTIONS.map((name) => (
        <Tabs.Content
          key={name}
          value={name}
          className="min-h-0 flex-1 overflow-y-auto overscroll-contain pb-[env(safe-area-inset-bottom)] -outline-offset-2"
        >
          <NotChecked domain={domain} now={now} actions={actions} />
          {name === 'overview' && (
            <JoinedErrors>
              <ReportError read={read} now={now} />
              <Overview
                domain={domain}
                now={now}
                read={read}
                standing={standing}
                fixed={fixed}
                actions={actions}
              />
            </JoinedErrors>
          )}
          {name === 'alerts' && <Alerts domain={domain} />}
          {name === 'chain' && (
            <>
              <ReportError read={read} now={now} />
              <ChainSection domain={domain} read={read} />
            </>
          )}
          {name === 'uptime' && <UptimeSection domain={domain} />}
        </Tabs.Content>
      ))}
    </Tabs.Root>
  );
}

/** Shows that the report could not be read, and how old the shown report is. */
function ReportError({ read, now }: { read: ReportRead; now: number }) {
  return read.error && <ReportErrorBand read={read} error={read.error} now={now} />;
}

function ReportErrorBand({ read, error, now }: { read: ReportRead; error: Error; now: number }) {
  const { ref, isAlone, retry } = useJoinedError(read.readAgain);
  return (
    <section
      ref={ref}
      role="alert"
      className="flex items-center gap-3 border-b border-line px-5 py-3 text-label"
    >
      <p className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        {read.report ? 'Could not update the report below' : 'Could not load the report'}
        {isAlone ? '. ' : ' and other parts. '}
        {read.report
          ? `Last updated ${relativeTime(read.readAt, now)}.`
          : 'Checks continue; only this section is affected.'}{' '}
        <span className="text-fg-3">{sentenceOf(error)}</span>
      </p>
      <Button variant="outline" size="small" busy={read.isReading} onClick={retry}>
        Try again
      </Button>
    </section>
  );
}

/** Shows Paused if the domain is paused, then what is broken or not known yet, and last, in every state, Active or Revoked. */
function HostState({ domain, now }: { domain: DomainWire; now: number }) {
  const isChecking = domain.checking && domain.fingerprint === null;
  const broken = isChecking ? [] : brokenStates(domain, now, findingReasons(domain, now));
  return (
    <div className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1">
      {domain.paused !== null && <StateBadge state="paused" />}
      {broken.map((state) => (
        <StateBadge key={state} state={state === 'overdue' ? overdueReason(domain.state) : state}>
          {STATE_NAMES[state]}
        </StateBadge>
      ))}
      {isChecking && <span className="text-meta text-fg-3">{STATE_NAMES.pending}</span>}
      <RevocationState domain={domain} place="beside" />
    </div>
  );
}

// Names longer than this would take more than three lines.
const LONG_NAME = 78;

function PanelHeading({ children }: { children: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // If a dialog was opened while this code was loading, it hides the page, so it keeps the focus.
    if (!heading.current?.closest('[aria-hidden=true]')) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <h2
      ref={heading}
      id={PANEL_HEADING}
      tabIndex={-1}
      className={classNames(
        'font-mono font-semibold text-wrap [overflow-wrap:anywhere]',
        children.length > LONG_NAME ? 'text-small' : 'text-[15px]/5',
      )}
    >
      <bdi dir="ltr">{children}</bdi>
    </h2>
  );
}

/** Shows the menu with the actions on the domain. */
function PanelMenu({ domain, actions }: { domain: DomainWire; actions: DomainActions }) {
  return (
    <Menu
      trigger={
        <IconButton label="Actions" className="max-md:size-11">
          <Ellipsis className="size-4" strokeWidth={1.6} aria-hidden="true" />
        </IconButton>
      }
    >
      <RefreshItem domain={domain} actions={actions} />
      <PauseItem domain={domain} actions={actions} />
      <MenuSeparator />
      <RemoveItem domain={domain} actions={actions} />
    </Menu>
  );
}
