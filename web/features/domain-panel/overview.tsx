import { useState } from 'react';
import type { DomainWire } from '../../../contract/domain.ts';
import { lazyPart } from '../../ui/lazy.tsx';
import { Skeleton } from '../../ui/loading.tsx';
import { FoldedSection } from '../../domain/disclosure.tsx';
import type { DomainActions } from '../../domain/domain-actions.tsx';
import { PanelSection } from '../../domain/panel-section.tsx';
import { CertificateHistory } from './certificate/certificate-history.tsx';
import { CurrentCertificate } from './certificate/current-certificate.tsx';
import { CheckFrequency } from './check-frequency.tsx';
import { Clients } from './report/clients.tsx';
import { CopyReport, Findings } from './report/findings.tsx';
import { NextRenewal } from './report/next-renewal.tsx';
import type { ReportRead } from './report/report-query.ts';
import type { StandingFinding } from './report/standing-finding.ts';
import type { FixedFinding } from './report/use-fixed-findings.ts';
import { NotesEditor, TagsEditor } from './tags-and-notes.tsx';

const BadgeSwitch = lazyPart(
  async () => (await import('./badge/badge-switch.tsx')).BadgeSwitch,
  <Skeleton className="h-9 w-40" />,
);

interface OverviewProps {
  domain: DomainWire;
  now: number;
  read: ReportRead;
  standing: StandingFinding | null;
  fixed: readonly FixedFinding[];
  actions: DomainActions;
}

/** Shows the panel's first section: problems, the certificate, its predecessors, clients, and the owner's notes, tags and settings. */
export function Overview({ domain, now, read, standing, fixed, actions }: OverviewProps) {
  const hasFindings = standing !== null || domain.findings.length + fixed.length > 0;
  return (
    <>
      <Findings domain={domain} read={read} standing={standing} fixed={fixed} actions={actions} />
      <CurrentCertificate
        domain={domain}
        now={now}
        read={read}
        aside={!hasFindings && domain.last_checked_at !== null && <CopyReport report={read.report} />}
      />
      <NextRenewal read={read} />
      <CheckFrequency domain={domain} />
      <CertificateHistory id={domain.id} />
      <Clients clients={read.report?.clients ?? []} domain={domain} />
      <PanelSection title="Tags and notes">
        <TagsEditor domain={domain} />
        <NotesEditor domain={domain} />
      </PanelSection>
      <BadgeSection domain={domain} />
    </>
  );
}

/** Shows the panel's section about the badge; loads when opened. */
function BadgeSection({ domain }: { domain: DomainWire }) {
  const [wasOpen, setWasOpen] = useState(false);
  return (
    <FoldedSection
      title="Badge"
      line="An image that shows the certificate’s state, for a README or a web page"
      onToggle={(isOpen) => isOpen && setWasOpen(true)}
    >
      {wasOpen && <BadgeSwitch id={domain.id} name={domain.display_name} />}
    </FoldedSection>
  );
}
