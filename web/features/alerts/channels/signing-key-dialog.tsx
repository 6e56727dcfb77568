import type { ChannelWire } from '../../../../contract/channel.ts';
import { rotateSecret } from '../../../../contract/calls/alert.ts';
import { call } from '../../../lib/api-client.ts';
import { useWrite } from '../../../lib/use-write.ts';
import { Button } from '../../../ui/button.tsx';
import { CancelButton, Dialog, DialogActions, type OpenState } from '../../../ui/dialog.tsx';
import { Time } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast.tsx';
import { useKeptFocus } from '../../../ui/form/use-kept-focus.ts';
import { SigningKey } from './signing-key.tsx';

interface SigningKeyDialogProps extends OpenState {
  channel: ChannelWire;
}

/** Dialog that creates a new signing key for a webhook and shows it. */
export function SigningKeyDialog({ channel, open, onOpenChange }: SigningKeyDialogProps) {
  const making = useWrite({
    mutationFn: () => call(rotateSecret, { params: { key: channel.key } }),
    onError: (error) => toast.failed('Could not create a new key', error),
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
            Messages are signed with both keys until <Time iso={made.previous_until} withTime />.
          </>
        ) : (
          `For “${channel.name}”. Messages are signed with both keys for a day, so that you can switch without losing any.`
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
              <CancelButton onClick={close} />
              <Button busy={making.isPending} onClick={() => making.mutate()}>
                Create new key
              </Button>
            </>
          )}
        </DialogActions>
      </div>
    </Dialog>
  );
}
