import { type FailedRead, SectionError } from '../../domain/section-error.tsx';
import { Skeleton } from '../../ui/loading.tsx';

/** Replaces a list that is loading or could not be loaded. `what` names the list: "your tokens". */
export function ListPlaceholder({ what, read }: { what: string; read: FailedRead }) {
  if (read.error) return <SectionError title={`Could not load ${what}`} read={read} />;
  return (
    <div className="grid gap-2 py-1">
      <Skeleton className="h-4 w-40" />
      <Skeleton className="h-3 w-56" />
    </div>
  );
}
