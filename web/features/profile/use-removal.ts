import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { messageOf } from '../../lib/api-error.ts';
import { toast } from '../../ui/toast.tsx';

/** Removes an item from the list under `key` after confirmation. Toasts show `done`, or `failed` with the reason. */
export function useRemoval<Item extends { id: string }>({
  key,
  remove,
  done,
  failed,
}: {
  key: QueryKey;
  remove: (id: string) => Promise<unknown>;
  done: string;
  failed: string;
}) {
  const queryClient = useQueryClient();
  const [asked, setAsked] = useState<Item | null>(null);
  const [isBusy, setBusy] = useState(false);
  const isDone = useRef(false);
  return {
    /** The item whose removal waits for confirmation. */
    asked,
    isBusy,
    /** Tells whether the last removal succeeded, and with it the button that opened the dialog disappeared. */
    isDone: () => isDone.current,
    ask(item: Item) {
      isDone.current = false;
      setAsked(item);
    },
    cancel: () => setAsked(null),
    async confirm() {
      if (asked === null) return;
      setBusy(true);
      try {
        await remove(asked.id);
        queryClient.setQueryData<Item[]>(key, (former) => former?.filter(({ id }) => id !== asked.id));
        toast.success(done);
        isDone.current = true;
        setAsked(null);
      } catch (failure) {
        toast.error(`${failed}: ${messageOf(failure)}`);
      }
      setBusy(false);
    },
  };
}
