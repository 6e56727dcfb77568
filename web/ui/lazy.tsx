import { type ComponentType, type ReactNode, useCallback, useEffect, useEffectEvent, useState } from 'react';
import { loadChunk, onFirstMove } from '../lib/browser/load-chunk.ts';
import { Button } from './button.tsx';
import type { OpenState } from './dialog.tsx';
import { toast } from './toast.tsx';
import { useTypedAhead } from './form/typed-ahead.ts';

type Load<Props> = () => Promise<ComponentType<Props>>;

/**
 * Lazy-loads a component; shows `waiting` meanwhile. On failure shows a message with a retry button, and retries when the
 * browser comes online.
 */
export function lazyPart<Props extends object>(load: Load<Props>, waiting: ReactNode = null) {
  const useCode = createCode(load);
  return function LazyPart(props: Props) {
    const { Part, hasFailed, attempt } = useCode();
    useEffect(attempt, [attempt]);
    if (Part) return <Part {...props} />;
    if (!hasFailed) return waiting;
    return (
      <div role="alert" className="grid justify-items-start gap-2 text-label text-fg-2">
        Could not load this part of the page.
        <Button variant="outline" size="small" onClick={attempt}>
          Try again
        </Button>
      </div>
    );
  };
}

/** Lazy-loads a component when the pointer or the focus first moves on the page. Shows nothing before, or if that fails. */
export function lazyOnMove<Props extends object>(load: Load<Props>) {
  return lazyAfter(onFirstMove, load);
}

/**
 * Lazy-loads a component on the first move of the pointer or focus, or two seconds after it was mounted, whichever comes first. The
 * delay keeps its code out of the first load.
 */
export function lazyAfterPause<Props extends object>(load: Load<Props>) {
  return lazyAfter(onMoveOrPause, load);
}

function lazyAfter<Props extends object>(start: (act: () => void) => () => void, load: Load<Props>) {
  const useCode = createCode(load);
  return function PartAfter(props: Props) {
    const { Part, attempt } = useCode();
    useEffect(() => start(attempt), [attempt]);
    return Part && <Part {...props} />;
  };
}

const PAUSE_MS = 2_000;

function onMoveOrPause(act: () => void): () => void {
  const stop = onFirstMove(act);
  const timer = setTimeout(act, PAUSE_MS);
  return () => {
    stop();
    clearTimeout(timer);
  };
}

interface DialogState<Props> {
  isOpen: (props: Props) => boolean;
  close: (props: Props) => void;
  /** Returns whether to load the code while the dialog is closed. */
  isNeeded?: () => boolean;
  /** Loads the code when the pointer or the focus first moves, so that the dialog opens at once, also offline. */
  isPreloaded?: boolean;
}

/** For dialogs that are controlled by `open` and `onOpenChange`. */
export const OPEN_PROPS: DialogState<OpenState> = {
  isOpen: ({ open }) => open,
  close: ({ onOpenChange }) => onOpenChange(false),
};

/** Lazy-loads a dialog when it is first opened. If the chunk cannot be loaded, shows a toast and closes it, so that it can be reopened. */
export function lazyDialog<Props extends object>(
  load: Load<Props>,
  { isOpen, close, isNeeded = () => false, isPreloaded = false }: DialogState<Props>,
) {
  const useCode = createCode(load);
  return function LazyDialog(props: Props) {
    const { Part, hasFailed, attempt } = useCode();
    const isWanted = isOpen(props);
    useTypedAhead(isWanted);
    useEffect(() => {
      if (isWanted || isNeeded()) attempt();
    }, [isWanted, attempt]);
    useEffect(() => (isPreloaded ? onFirstMove(attempt) : undefined), [attempt]);
    const giveUp = useEffectEvent(() => {
      if (!isWanted) return;
      toast.error('Could not load this part of the page. Check your connection, then try again.');
      close(props);
    });
    useEffect(() => {
      if (hasFailed) giveUp();
    }, [hasFailed]);
    return Part && <Part {...props} />;
  };
}

function createCode<Props extends object>(load: Load<Props>) {
  let loaded: ComponentType<Props> | null = null;
  return function useCode() {
    const [Part, setPart] = useState(() => loaded);
    const [hasFailed, setHasFailed] = useState(false);
    const attempt = useCallback(() => {
      if (loaded !== null) return setPart(() => loaded);
      setHasFailed(false);
      const show = async (): Promise<void> => {
        try {
          loaded = await loadChunk(load);
          setPart(() => loaded);
        } catch (error) {
          console.warn('A part of the page could not be loaded.', error);
          setHasFailed(true);
        }
      };
      void show();
    }, []);
    useEffect(() => {
      if (!hasFailed) return undefined;
      window.addEventListener('online', attempt);
      return () => window.removeEventListener('online', attempt);
    }, [hasFailed, attempt]);
    return { Part, hasFailed, attempt };
  };
}
