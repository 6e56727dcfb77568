import { messageOf } from '../../../lib/api-client.ts';
import { Glyph } from '../../../ui/glyph.tsx';

/** In the place of a domain whose page could not be read. */
export function FailedCell({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <span className="flex min-w-0 items-center gap-2 text-label text-fg-2">
      <Glyph name="critical" className="size-4 text-critical-mark [--glyph-cut:var(--surface)]" />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        {messageOf(error)}{' '}
        <button type="button" className="link" onClick={onRetry}>
          Try again
        </button>
      </span>
    </span>
  );
}

/** Of a page that failed, only some rows say so: one of them is always in view. */
export const saysFailure = (index: number): boolean => index % 6 === 0;
