import type { ChannelWire } from '../../../../contract/channel.ts';
import { rotateSecret } from '../../../lib/alerts/channel-calls.ts';
import { messageOf } from '../../../lib/api-error.ts';
import { useWrite } from '../../../lib/use-write.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { Time } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast.tsx';
import { useKeptFocus } from '../../../ui/use-kept-focus.ts';
import { SigningKey } from './signing-key.tsx';

interface SigningKeyDialogProps {
  channel: ChannelWire;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** Makes a new key for a webhook's signatures. */
export function SigningKeyDialog({ channel, open, onOpenChange }: SigningKeyDialogProps) {
  const making = useWrite({
    mutationFn: () => rotateSecret(channel.key),
    onError: (error) => toast.error(`No new key was made: ${messageOf(error)}`),
  });
  const close = () => {
    onOpenChange(false);
    making.reset();
  };
  const made = making.data;
  const focus = useKeptFocus<HTMLDivElement>();
  return (
    <Dialog
      open={open}
      onOpenChange={(isOpen) => (isOpen ? undefined : close())}
      isKept={made !== undefined}
      title="New signing key"
      description={
        made ? (
          <>
            Messages carry the signatures of both keys until <Time iso={made.previous_until} withTime />.
          </>
        ) : (
          `For “${channel.name}”. The present key signs beside it for a day, so that you can change it without losing a message.`
        )
      }
    >
      {made && <SigningKey secret={made.secret} />}
      <div {...focus}>
        <DialogActions>
          {made ? (
            <Button onClick={close}>Done</Button>
          ) : (
            <>
              <Button variant="outline" onClick={close}>
                Cancel
              </Button>
              <Button busy={making.isPending} onClick={() => making.mutate()}>
                Make a new key
              </Button>
            </>
          )}
        </DialogActions>
      </div>
    </Dialog>
  );
}
