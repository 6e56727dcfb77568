import { Button } from '../../../ui/button.tsx';
import { ProgressBar } from '../../../ui/progress-bar.tsx';
import { progressLine } from './bulk-outcome.ts';
import type { BulkProgress } from './use-bulk.ts';

/** How far a run is, in the place of what could be begun. */
export function BulkProgressBar({ progress, onStop }: { progress: BulkProgress; onStop: () => void }) {
  const { action, answered, total, waiting } = progress;
  const line = progressLine(action, answered, total);
  return (
    <>
      <div className="min-w-0 flex-1 px-2">
        <p className="num mb-1.5 truncate text-label font-medium">
          {waiting === null ? line : `${line}. The server asked to wait ${waiting} s.`}
        </p>
        <ProgressBar label={line} value={answered} max={total} />
      </div>
      <Button variant="outline" size="small" onClick={onStop}>
        Stop
      </Button>
    </>
  );
}
