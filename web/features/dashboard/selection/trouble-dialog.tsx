import { useUpgrade } from '../../../lib/account/plan.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { outcomeLine } from './bulk-outcome.ts';
import type { BulkTrouble } from './use-bulk.ts';
import { counted, grouped } from '../../../lib/format.ts';

const MAX_LISTED = 20;

interface TroubleDialogProps {
  trouble: BulkTrouble | null;
  onClose: () => void;
  onTryAgain: () => void;
}

/** Lists the failed domains with a retry button. They are still selected. */
export function TroubleDialog({ trouble, onClose, onTryAgain }: TroubleDialogProps) {
  return (
    <Dialog
      open={trouble !== null}
      onOpenChange={(open) => (open ? undefined : onClose())}
      title={trouble ? outcomeLine(trouble.action.action, trouble.outcome) : ''}
      description="The remaining domains stay selected."
      hasCross
    >
      {trouble && <Trouble trouble={trouble} onClose={onClose} onTryAgain={onTryAgain} />}
    </Dialog>
  );
}

function Trouble({ trouble, onClose, onTryAgain }: TroubleDialogProps & { trouble: BulkTrouble }) {
  const { isSold, open: openUpgrade } = useUpgrade();
  const { failures, unanswered, error } = trouble.outcome;
  const isPlan = failures.some(
    ({ problem }) => problem === 'limit_reached' || problem === 'premium_required',
  );
  const listed = failures.slice(0, MAX_LISTED);
  return (
    <>
      {error !== null && <p className="mt-4 text-body">{reasonLine(error, unanswered)}</p>}
      {listed.length > 0 && (
        <ul aria-label="Failed domains" className="mt-4 divide-y divide-line rounded-3 border border-line-2">
          {listed.map(({ id, name, message }) => (
            <li key={id} className="px-3.5 py-2">
              <p className="font-mono text-label font-[560] [overflow-wrap:anywhere]">{name ?? 'A domain'}</p>
              <p className="text-label text-fg-2">{message}</p>
            </li>
          ))}
          {failures.length > listed.length && (
            <li className="px-3.5 py-2 text-label text-fg-2">
              and {grouped(failures.length - listed.length)} more
            </li>
          )}
        </ul>
      )}
      <DialogActions>
        {isSold && isPlan && (
          <Button
            variant="tinted"
            className="md:mr-auto"
            onClick={() => {
              onClose();
              openUpgrade('limit');
            }}
          >
            Upgrade to Premium
          </Button>
        )}
        <Button variant="outline" onClick={onClose}>
          Close
        </Button>
        <Button onClick={onTryAgain}>Try again</Button>
      </DialogActions>
    </>
  );
}

/** Returns 'The server could not be reached. We got no answer for 1,200 domains.' */
function reasonLine(error: string, unanswered: number): string {
  const count = counted(unanswered, 'domain');
  return `${error.replace(/[.!]$/, '')}. We got no answer for ${count}.`;
}
