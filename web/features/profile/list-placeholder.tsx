import { SectionError } from '../../domain/section-error.tsx';
import { Skeleton } from '../../ui/loading.tsx';

/** Replaces a list that is loading or (with an error) failed. `what`: "your tokens". */
export function ListPlaceholder({
  what,
  error,
  onRetry,
}: {
  what: string;
  error: Error | null;
  onRetry: () => void;
}) {
  if (error)
    return (
      <SectionError title={`Could not load ${what}`} error={error} isRetrying={false} onRetry={onRetry} />
    );
  return (
    <div className="grid gap-2 py-1">
      <Skeleton className="h-4 w-40" />
      <Skeleton className="h-3 w-56" />
    </div>
  );
}
