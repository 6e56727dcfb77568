import type { DomainWire } from '../../../contract/domain.ts';
import { lazyPart } from '../../ui/lazy.tsx';
import { PanelSection } from '../../domain/panel-section.tsx';
import { AlertsLoading } from './alerts-loading.tsx';

const DomainAlerts = lazyPart(
  async () => (await import('./domain-alerts.tsx')).DomainAlerts,
  <AlertsLoading />,
);

/** Shows the panel's section about alerts. Its code loads when a panel is first opened. */
export function AlertsSection({ domain }: { domain: DomainWire }) {
  return (
    <PanelSection title="Alerts" isTitleHidden>
      <DomainAlerts domain={domain} />
    </PanelSection>
  );
}
