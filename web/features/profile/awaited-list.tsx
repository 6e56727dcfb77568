import { messageOf } from '../../lib/api-error.ts';
import { Button } from '../../ui/button.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';

/** In the place of a list that is still being read, or (with an error) that could not be. `what`: "Your tokens". */
export function AwaitedList({
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
      <div>
        <p className="text-fg-2">
          {what} could not be loaded: {messageOf(error)}
        </p>
        <Button variant="outline" size="small" className="mt-3" onClick={onRetry}>
          Try again
        </Button>
      </div>
    );
  return (
    <div className="grid gap-2 py-1">
      <Skeleton className="h-4 w-40" />
      <Skeleton className="h-3 w-56" />
    </div>
  );
}
