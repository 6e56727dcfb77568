import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
import type { ComponentType, ReactNode } from 'react';
import { loadPart } from '../lib/load-code.ts';
import { Button } from './button.tsx';
import { toast } from './toast.tsx';

type Load<Props> = () => Promise<ComponentType<Props>>;

/**
 * Makes a part of a page from code that comes with its first use. Where that cannot be loaded, the rest of the page stays, the part
 * says so in its place, and loads again when the browser is online.
 */
export function laterPart<Props extends object>(load: Load<Props>, waiting: ReactNode = null) {
  const useCode = createCode(load);
  return function LaterPart(props: Props) {
    const { Part, hasFailed, attempt } = useCode();
    useEffect(attempt, [attempt]);
    if (Part) return <Part {...props} />;
    if (!hasFailed) return waiting;
    return (
      <div role="alert" className="grid justify-items-start gap-2 text-label text-fg-2">
        This part of the page could not be loaded.
        <Button variant="outline" size="small" onClick={attempt}>
          Try again
        </Button>
      </div>
    );
  };
}

interface DialogState<Props> {
  isOpen: (props: Props) => boolean;
  close: (props: Props) => void;
}

/** How dialogs with the usual properties open and close. */
export const BY_OPEN: DialogState<{ open: boolean; onOpenChange: (open: boolean) => void }> = {
  isOpen: ({ open }) => open,
  close: ({ onOpenChange }) => onOpenChange(false),
};

/** Makes a dialog from code that comes with its first use. Where that cannot be loaded, a toast says so, and it can be opened again. */
export function laterDialog<Props extends object>(load: Load<Props>, { isOpen, close }: DialogState<Props>) {
  const useCode = createCode(load);
  return function LaterDialog(props: Props) {
    const { Part, hasFailed, attempt } = useCode();
    const isWanted = isOpen(props);
    const hasTried = useRef(false);
    useEffect(() => {
      if (isWanted || !hasTried.current) attempt();
      hasTried.current = true;
    }, [isWanted, attempt]);
    const giveUp = useEffectEvent(() => {
      if (!isWanted) return;
      toast.error('This part of the page could not be loaded. Check your connection, then try again.');
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
          loaded = await loadPart(load);
          setPart(() => loaded);
        } catch (error) {
          console.warn('Code of the page could not be loaded.', error);
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
