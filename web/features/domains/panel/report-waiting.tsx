import { SectionError } from './panel-section.tsx';
import type { ReportRead } from './report-query.ts';

/** Where a section's line will stand, until the report is here. */
export function reportLine({ error }: ReportRead): string {
  return error ? 'Could not be loaded' : 'Loading...';
}

/** In the place of what the report has, until it is here. */
export function ReportWaiting({ read }: { read: ReportRead }) {
  if (!read.error) return <p className="text-label text-fg-3">Loading the report...</p>;
  return (
    <SectionError
      title="Could not load the report"
      error={read.error}
      isRetrying={read.isReading}
      onRetry={read.readAgain}
    />
  );
}
