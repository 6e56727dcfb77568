import { sentenceOf } from '../../lib/api-error.ts';
import { Button } from '../../ui/button.tsx';

interface NotLoadedProps {
  /** 'Your channels' */
  what: string;
  error: unknown;
  isRetrying: boolean;
  onRetry: () => void;
}

/** Where one part of the page could not be read; the others stand. */
export function NotLoaded({ what, error, isRetrying, onRetry }: NotLoadedProps) {
  return (
    <div role="alert">
      <p className="[overflow-wrap:anywhere] text-fg-2">
        {what} could not be loaded: {sentenceOf(error)} Alerts are sent all the same.
      </p>
      <Button variant="outline" size="small" className="mt-3" busy={isRetrying} onClick={onRetry}>
        Try again
      </Button>
    </div>
  );
}
