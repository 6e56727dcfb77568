import { Spinner } from '../../ui/spinner.tsx';

/** In the place of the horizon, where only the overview could not be read: the list stands on its own. */
export function SummaryFailed({ isRetrying, onRetry }: { isRetrying: boolean; onRetry: () => void }) {
  return (
    <p role="alert" className="flex items-center gap-2 text-label text-fg-2">
      The overview could not be read. Your monitoring keeps running.
      <button type="button" className="link" onClick={onRetry} disabled={isRetrying}>
        Try again
      </button>
      {isRetrying && <Spinner className="size-3.5 text-fg-3" />}
    </p>
  );
}
