import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { inWords } from '../../../lib/number-words.ts';

interface LimitNoticeDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** How many domains the Free plan holds, and how many there are. */
  limit: number;
  tracked: number;
}

/** Why there is no room for another domain, where there is no Premium to buy. */
export function LimitNoticeDialog({ open, onOpenChange, limit, tracked }: LimitNoticeDialogProps) {
  const domains = limit === 1 ? 'domain' : 'domains';
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={`Free tracks ${inWords(limit)} ${domains}`}
      description={`You track ${inWords(tracked)} now. To add another host, remove one that you no longer need.`}
    >
      <p className="mt-3 text-body text-fg-2">
        Premium has no such limit, but it is not sold on this server.
      </p>
      <DialogActions>
        <Button onClick={() => onOpenChange(false)}>Close</Button>
      </DialogActions>
    </Dialog>
  );
}
