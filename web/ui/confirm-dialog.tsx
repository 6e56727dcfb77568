import { type ReactNode, useRef, useState } from 'react';
import { AlertDialog } from 'radix-ui';
import { useWrite } from '../lib/use-write.ts';
import { Button } from './button.tsx';
import {
  DIALOG_BOX,
  DIALOG_DESCRIPTION,
  DIALOG_TITLE,
  DialogActions,
  type DialogProps,
  type OpenState,
  SCRIM,
  useFocusReturn,
} from './dialog.tsx';
import { toast } from './toast.tsx';

export interface ConfirmDialogProps extends OpenState {
  title: string;
  description?: ReactNode;
  /** Defaults to 'Delete'. */
  confirmLabel?: string;
  /** While true, the dialog stays open and the button says 'Processing...'. */
  processing: boolean;
  onConfirm: () => void;
  focusAfterClose?: DialogProps['focusAfterClose'];
}

/** Asks before an action that cannot be undone. Focus starts on Cancel; clicking the backdrop does not close it. */
export function ConfirmDialog({
  open,
  onOpenChange,
  title,
  description,
  confirmLabel = 'Delete',
  processing,
  onConfirm,
  focusAfterClose,
}: ConfirmDialogProps) {
  const returnFocus = useFocusReturn(open, focusAfterClose);
  const cancel = useRef<HTMLButtonElement>(null);
  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => (processing ? undefined : onOpenChange(next))}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className={SCRIM} />
        <AlertDialog.Content
          className={DIALOG_BOX}
          {...(description ? {} : { 'aria-describedby': undefined })}
          onCloseAutoFocus={returnFocus}
          onOpenAutoFocus={(event) => {
            event.preventDefault();
            cancel.current?.focus();
          }}
        >
          <AlertDialog.Title className={DIALOG_TITLE}>{title}</AlertDialog.Title>
          {description && (
            <AlertDialog.Description className={DIALOG_DESCRIPTION}>{description}</AlertDialog.Description>
          )}
          <DialogActions>
            <Button ref={cancel} variant="outline" disabled={processing} onClick={() => onOpenChange(false)}>
              Cancel
            </Button>
            <Button variant="danger" inactive={processing} aria-busy={processing} onClick={onConfirm}>
              {/* As wide as the longer of its two labels, so that the button does not change its width. */}
              <span className="grid justify-items-center *:col-start-1 *:row-start-1">
                <span className={processing ? 'invisible' : undefined}>{confirmLabel}</span>
                <span className={processing ? undefined : 'invisible'}>Processing...</span>
              </span>
            </Button>
          </DialogActions>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

interface RemovalOptions<Item> {
  remove: (item: Item) => Promise<unknown>;
  /** Reads the list again. The dialog stays open until the promise resolves, so that both disappear together: the item and the dialog. */
  reread: () => Promise<unknown>;
  /** Returns the message that confirms the removal. */
  done: (item: Item) => string;
  /** What a failure says before the reason, such as 'Could not revoke the token'. */
  failed: string;
  /** Returns what gets the focus after the removal: the button that opened the dialog is gone. */
  focusAfter: () => HTMLElement | null;
}

/** Removes an item of a list after confirmation. Returns the item in question and the props of its ConfirmDialog. */
export function useRemoval<Item>({ remove, reread, done, failed, focusAfter }: RemovalOptions<Item>) {
  const [asked, setAsked] = useState<Item | null>(null);
  const isDone = useRef(false);
  const { mutate, isPending } = useWrite({
    mutationFn: remove,
    onSuccess: async (_, item) => {
      toast.success(done(item));
      isDone.current = true;
      await reread();
      setAsked(null);
    },
    onError: (error) => toast.failed(failed, error),
  });
  return {
    asked,
    ask: (item: Item) => {
      isDone.current = false;
      setAsked(item);
    },
    dialog: {
      open: asked !== null,
      onOpenChange: () => setAsked(null),
      processing: isPending,
      onConfirm: () => asked && mutate(asked),
      focusAfterClose: () => (isDone.current ? focusAfter() : null),
    },
  };
}
