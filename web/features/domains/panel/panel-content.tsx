import { X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { DomainWire } from '../../../../contract/domain.ts';
import { RevocationBadge } from '../../../ui/badge.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { FaviconTile } from '../../../ui/favicon-tile.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { AlertsSection } from '../alerts/alerts-section.tsx';
import { BadgeSection } from '../badge/badge-section.tsx';
import { Addresses } from './addresses.tsx';
import { CertificateHistory } from './certificate-history.tsx';
import { CheckFrequency } from './check-frequency.tsx';
import { CurrentCertificate } from './current-certificate.tsx';
import type { DomainActions } from '../domain-actions.ts';
import { CopyReport } from './copy-report.tsx';
import { FactsSection } from './facts-section.tsx';
import { Findings } from './findings.tsx';
import { NotesEditor } from './notes-editor.tsx';
import { PanelMenu } from './panel-menu.tsx';
import { PanelSection } from './panel-section.tsx';
import { PathSection } from './path-section.tsx';
import { PausedSection } from './paused-section.tsx';
import { PausedBadge } from '../list/remaining-time.tsx';
import { TagsEditor } from './tags-editor.tsx';
import { useReport } from './report-query.ts';
import { StaleReport } from './report-waiting.tsx';
import { standingFinding } from './standing-finding.ts';
import { useUptime } from '../uptime/uptime-query.ts';
import { UptimeSection } from '../uptime/uptime-section.tsx';

interface PanelContentProps {
  domain: DomainWire;
  now: number;
  actions: DomainActions;
  onClose: () => void;
}

export function PanelContent({ domain, now, actions, onClose }: PanelContentProps) {
  return (
    <>
      <header className="flex items-center gap-1 border-b border-line py-3.5 pr-2 pl-5 md:pr-3.5">
        <FaviconTile hostname={domain.display_name} src={domain.favicon} />
        <div className="mr-1 ml-2 min-w-0 flex-1">
          {/* Keyed, here and below: another domain is another panel, whose heading takes the focus. */}
          <PanelHeading key={domain.id}>{domain.display_name}</PanelHeading>
          <StateBadge domain={domain} />
        </div>
        <PanelMenu domain={domain} actions={actions} />
        <IconButton label="Close" className="max-md:size-11" onClick={onClose}>
          <X className="size-4" strokeWidth={1.6} aria-hidden="true" />
        </IconButton>
      </header>
      <div
        key={domain.id}
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain pb-[env(safe-area-inset-bottom)]"
      >
        <PausedSection domain={domain} actions={actions} />
        <PanelBody domain={domain} now={now} />
      </div>
    </>
  );
}

/** What needs somebody first, then what is, then what was. */
function PanelBody({ domain, now }: Pick<PanelContentProps, 'domain' | 'now'>) {
  const read = useReport(domain);
  const { data: uptime } = useUptime(domain);
  const cause = uptime?.incidents.find(({ ended_at: endedAt }) => endedAt === null)?.message ?? null;
  const standing = standingFinding(domain, cause);
  const hasFindings = standing !== null || domain.findings.length > 0;
  return (
    <>
      <Findings domain={domain} read={read} standing={standing} />
      <CurrentCertificate
        domain={domain}
        now={now}
        read={read}
        aside={!hasFindings && domain.last_checked_at !== null && <CopyReport report={read.report} />}
      />
      <StaleReport read={read} now={now} />
      <AlertsSection domain={domain} />
      <Addresses domain={domain} read={read} />
      <PathSection domain={domain} read={read} />
      <UptimeSection domain={domain} />
      <CheckFrequency domain={domain} />
      <FactsSection domain={domain} read={read} />
      <PanelSection title="Tags and notes">
        <TagsEditor domain={domain} />
        <NotesEditor domain={domain} />
      </PanelSection>
      <CertificateHistory id={domain.id} />
      <BadgeSection domain={domain} />
    </>
  );
}

/** Shows Active or Revoked in every state, and next to it whether the domain is paused or has no certificate yet. */
function StateBadge({ domain }: { domain: DomainWire }) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <RevocationBadge revoked={domain.is_revoked} />
      {domain.paused !== null && <PausedBadge />}
      {domain.paused === null && domain.fingerprint === null && (
        <span className="text-meta text-fg-3">{domain.checking ? 'Checking…' : 'No certificate read'}</span>
      )}
    </div>
  );
}

// Beyond this, a name takes more than three lines.
const LONG_NAME = 78;

function PanelHeading({ children }: { children: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <h2
      ref={heading}
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
