import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions, type OpenState } from '../../../ui/dialog.tsx';
import { counted, grouped } from '../../../lib/format.ts';

interface LimitNoticeDialogProps extends OpenState {
  /** The domain limit of Free. */
  limit: number;
  tracked: number;
}

/** Explains that the limit is reached, where Premium is not sold. */
export function LimitNoticeDialog({ open, onOpenChange, limit, tracked }: LimitNoticeDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={`Free tracks ${counted(limit, 'domain')}`}
      description={limitAdvice(limit, tracked)}
    >
      <p className="mt-3 text-body text-fg-2">Premium has no limit, but this server does not sell it.</p>
      <DialogActions>
        <Button onClick={() => onOpenChange(false)}>Close</Button>
      </DialogActions>
    </Dialog>
  );
}

/** Returns how many domains are tracked, and how many to remove before another fits: after a downgrade there may be too many. */
export function limitAdvice(limit: number, tracked: number): string {
  const surplus = Math.max(1, tracked - limit + 1);
  return `You track ${grouped(tracked)} now. To add another, remove ${grouped(surplus)} that you no longer need.`;
}
