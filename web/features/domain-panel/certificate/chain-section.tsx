import { STATE_NAMES } from '../../../../contract/state/state-words.ts';
import type { DomainWire } from '../../../../contract/domain.ts';
import { PanelSection } from '../../../domain/panel-section.tsx';
import { Addresses } from '../report/addresses.tsx';
import { FactsSection } from '../report/facts-section.tsx';
import type { ReportRead } from '../report/report-query.ts';
import { Transparency } from '../report/transparency.tsx';
import { PathSection } from './path-section.tsx';
import { LoadingRows } from './timeline.tsx';

interface ChainSectionProps {
  domain: DomainWire;
  read: ReportRead;
}

/** Shows what the host serves: its path to a trust anchor, the certificate of each address, and facts about TLS and DNS. */
export function ChainSection({ domain, read: { report, error } }: ChainSectionProps) {
  if (report)
    return (
      <>
        <PathSection domain={domain} report={report} />
        {report.transparency && <Transparency transparency={report.transparency} />}
        <Addresses report={report} protocol={domain.protocol} />
        <FactsSection report={report} />
      </>
    );
  // The panel shows the error above.
  if (error) return null;
  return (
    <PanelSection title="Chain" isTitleHidden>
      {domain.last_checked_at === null ? (
        <p className="text-label text-fg-2">{STATE_NAMES.unread} yet.</p>
      ) : (
        <LoadingRows text="Loading the report..." />
      )}
    </PanelSection>
  );
}
