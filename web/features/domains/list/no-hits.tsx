import type { DomainFilter } from '../../../../contract/domain.ts';
import { Button } from '../../../ui/button.tsx';
import { noHitsLine } from './no-hits-line.ts';

/** Instead of a list that nothing is in, and the way back to one that has something. */
export function NoHits({ filter, onClear }: { filter: DomainFilter; onClear: () => void }) {
  return (
    <div className="flex flex-col items-center gap-4 rounded-4 border border-dashed border-line-2 px-5 py-14 text-center">
      <p role="status" className="max-w-full text-lead text-fg-2 [overflow-wrap:anywhere]">
        {noHitsLine(filter)}
      </p>
      <Button variant="outline" onClick={onClear}>
        Clear
      </Button>
    </div>
  );
}
