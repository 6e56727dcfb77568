import type { DomainWire } from '../../../../contract/domain.ts';
import { lazyPart } from '../../../ui/lazy.tsx';
import { PanelSection } from '../panel/panel-section.tsx';
import { AlertsLoading } from './alerts-loading.tsx';

const DomainAlerts = lazyPart(
  async () => (await import('./domain-alerts.tsx')).DomainAlerts,
  <AlertsLoading />,
);

/** The panel's part on who is told what of the domain; all of it comes when a panel is first opened. */
export function AlertsSection({ domain }: { domain: DomainWire }) {
  return (
    <PanelSection title="Alerts">
      <DomainAlerts domain={domain} />
    </PanelSection>
  );
}
