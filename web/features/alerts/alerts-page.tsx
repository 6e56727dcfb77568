import { usePageTitle } from '../../ui/page-title.ts';

export function AlertsPage() {
  usePageTitle('Alerts');
  return (
    <div className="wrap max-w-[776px] pt-6 pb-14 md:pt-9">
      <h1 tabIndex={-1} className="text-[21px]/[27px] font-bold tracking-[-.022em] md:text-page">
        Alerts
      </h1>
    </div>
  );
}
