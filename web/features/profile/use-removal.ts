import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { messageOf } from '../../lib/api-error.ts';
import { toast } from '../../ui/toast.tsx';

/** Takes one out of a list under `key`, once its owner has confirmed it; the toasts say `done`, or `failed` and why. */
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
    /** Whose removal waits to be confirmed. */
    asked,
    isBusy,
    /** Whether the last one that was asked for is gone: with it what had opened the question. */
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
