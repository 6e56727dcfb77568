import { sentenceOf } from '../../../lib/api-error.ts';
import { relativeTime } from '../../../lib/dates.ts';
import { Button } from '../../../ui/button.tsx';
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

/** Over a report that could not be read anew: it stays, and says how old it is. */
export function StaleReport({ read, now }: { read: ReportRead; now: number }) {
  if (!read.report || !read.error) return null;
  return (
    <section role="alert" className="flex items-center gap-3 border-b border-line px-5 py-3 text-label">
      <p className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        The report below could not be read anew. {sentenceOf(read.error)}{' '}
        <span className="text-fg-3">Last updated {relativeTime(read.readAt, now)}</span>
      </p>
      <Button variant="outline" size="small" busy={read.isReading} onClick={read.readAgain}>
        Try again
      </Button>
    </section>
  );
}
