import { lazy, Suspense } from 'react';
import type { DomainWire } from '../../../../contract/domain.ts';
import { PanelSection } from '../panel/panel-section.tsx';
import { AlertsLoading } from './alerts-loading.tsx';

const DomainAlerts = lazy(async () => ({ default: (await import('./domain-alerts.tsx')).DomainAlerts }));

/** The panel's part on who is told what of the domain; all of it comes when a panel is first opened. */
export function AlertsSection({ domain }: { domain: DomainWire }) {
  return (
    <PanelSection title="Alerts">
      <Suspense fallback={<AlertsLoading />}>
        <DomainAlerts domain={domain} />
      </Suspense>
    </PanelSection>
  );
}
