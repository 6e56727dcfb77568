import type { ComponentProps } from 'react';
import { DashboardPage } from '../features/dashboard/dashboard-page.tsx';
import { AlertsSection } from '../features/domain-alerts/alerts-section.tsx';
import { DomainPanel } from '../features/domain-panel/domain-panel.tsx';
import { lazyDialog, OPEN_PROPS } from '../ui/lazy.tsx';

const ImportDialog = lazyDialog(
  async () => (await import('../features/domain-import/import-dialog.tsx')).ImportDialog,
  OPEN_PROPS,
);

/** Composes the dashboard of several features, which may not import each other. */
export function Dashboard() {
  return <DashboardPage Panel={Panel} ImportDialog={ImportDialog} />;
}

function Panel(props: Omit<ComponentProps<typeof DomainPanel>, 'Alerts'>) {
  return <DomainPanel {...props} Alerts={AlertsSection} />;
}
