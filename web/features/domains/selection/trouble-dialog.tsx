import { useUpgrade } from '../../../lib/upgrade.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { grouped, outcomeLine } from './bulk-outcome.ts';
import type { BulkTrouble } from './use-bulk.ts';

const MOST_LISTED = 20;

interface TroubleDialogProps {
  trouble: BulkTrouble | null;
  onClose: () => void;
  onTryAgain: () => void;
}

/** What did not work, one line for each domain, and the way to try it again. All of it is still selected. */
export function TroubleDialog({ trouble, onClose, onTryAgain }: TroubleDialogProps) {
  return (
    <Dialog
      open={trouble !== null}
      onOpenChange={(open) => (open ? undefined : onClose())}
      title={trouble ? outcomeLine(trouble.action.action, trouble.outcome) : ''}
      description="What is left is still selected."
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
  const listed = failures.slice(0, MOST_LISTED);
  return (
    <>
      {error !== null && <p className="mt-4 text-body">{reasonLine(error, unanswered)}</p>}
      {listed.length > 0 && (
        <ul
          aria-label="What did not work"
          className="mt-4 divide-y divide-line rounded-3 border border-line-2"
        >
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
        <Button onClick={onTryAgain}>Try these again</Button>
      </DialogActions>
    </>
  );
}

/** 'The server could not be reached. 1,200 domains got no answer.' */
function reasonLine(error: string, unanswered: number): string {
  const count = unanswered === 1 ? 'One domain' : `${grouped(unanswered)} domains`;
  return `${error.replace(/[.!]$/, '')}. ${count} got no answer.`;
}
