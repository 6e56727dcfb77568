import { useRef, useState } from 'react';
import { useWrite } from '../../lib/use-write.ts';
import { toast } from '../toast.tsx';

interface RemovalOptions<Item> {
  remove: (item: Item) => Promise<unknown>;
  /** Reads the list again. The dialog stays open until it resolves, so that the item disappears with it. */
  reread: () => Promise<unknown>;
  /** Returns the message after the removal. */
  done: (item: Item) => string;
  /** What a failure says before the reason, such as 'Could not revoke the token'. */
  failed: string;
  /** Returns what gets the focus after the removal: the button that opened the dialog is gone. */
  focusAfter: () => HTMLElement | null;
}

/** Removes an item of a list after confirmation. Returns the item in question and the props of the dialog. */
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
