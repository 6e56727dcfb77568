import { RotateCw } from 'lucide-react';
import { messageOf } from '../../lib/api-client.ts';
import { Button } from '../../ui/button.tsx';
import { Glyph } from '../../ui/glyph.tsx';

interface LoadErrorCardProps {
  error: unknown;
  isRetrying: boolean;
  onRetry: () => void;
}

/** Instead of a list that could not be read: what failed, whether monitoring still runs, what to do. */
export function LoadErrorCard({ error, isRetrying, onRetry }: LoadErrorCardProps) {
  return (
    <div
      role="alert"
      className="flex flex-col gap-3.5 rounded-4 border border-line-2 bg-surface px-5 py-[18px] md:flex-row md:items-center"
    >
      <Glyph name="critical" className="size-5 text-critical-mark [--glyph-cut:var(--surface)]" />
      <div className="min-w-0 flex-1">
        <p className="font-semibold">Could not load your domains</p>
        <p className="text-fg-2 [overflow-wrap:anywhere]">
          {messageOf(error)} Your monitoring keeps running; only this page is affected.
        </p>
      </div>
      <Button variant="outline" busy={isRetrying} onClick={onRetry}>
        {!isRetrying && <RotateCw className="size-3.5" strokeWidth={1.8} aria-hidden="true" />}
        Try again
      </Button>
    </div>
  );
}
