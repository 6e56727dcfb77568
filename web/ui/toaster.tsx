import { useRouter } from '@tanstack/react-router';
import { Info, X } from 'lucide-react';
import { createPortal } from 'react-dom';
import { useEffect } from 'react';
import { toast as library, Toaster as Sonner } from 'sonner';
import { Glyph } from './glyph.tsx';
import { Spinner } from './loading.tsx';
import { setToastLibrary } from './toast.tsx';

/**
 * Shows the toasts. Errors interrupt a screen reader; others are announced politely. The region lies above dialogs, so it is
 * outside the page's stacking context and has its own pointer events.
 */
export function Toaster() {
  useEffect(() => setToastLibrary(library), []);
  const router = useRouter();
  // An error belongs to the page on which it happened, so a navigation closes it.
  useEffect(
    () =>
      router.subscribe('onBeforeNavigate', ({ pathChanged }) => {
        if (!pathChanged) return;
        for (const toast of library.getToasts())
          if ('type' in toast && toast.type === 'error') library.dismiss(toast.id);
      }),
    [router],
  );
  return createPortal(
    <Sonner
      position="bottom-right"
      duration={4000}
      visibleToasts={3}
      hotkey={['altKey', 'KeyT']}
      containerAriaLabel="Notifications"
      // The page's styles move the toasts away from the panel and from the buttons of a dialog.
      offset={{ bottom: 'var(--toast-bottom)', right: 'var(--toast-right)' }}
      mobileOffset={{ bottom: 'var(--toast-bottom)', left: 16, right: 16 }}
      closeButton
      style={{ fontFamily: 'inherit' }}
      icons={{
        success: <Glyph name="active" className="size-4 text-ok-mark" />,
        info: <Info className="size-4 text-fg-3" strokeWidth={1.6} aria-hidden="true" />,
        warning: <Glyph name="soon" className="size-4 text-soon-mark [--glyph-cut:var(--surface)]" />,
        error: <Glyph name="expired" className="size-4 text-expired-mark [--glyph-cut:var(--surface)]" />,
        loading: <Spinner className="text-fg-3" />,
        close: <X className="size-3.5" strokeWidth={1.6} aria-hidden="true" />,
      }}
      toastOptions={{
        unstyled: true,
        classNames: {
          toast:
            'pointer-events-auto relative flex w-full items-start gap-2.5 rounded-[10px] border border-line-2 bg-menu py-[13px] pr-11 pl-3.5 text-[13.5px]/5 font-[500] text-fg shadow-3 md:w-[356px]',
          icon: 'mt-0.5 flex-none',
          content: 'min-w-0 [overflow-wrap:anywhere]',
          closeButton:
            'absolute top-2 right-2 grid size-8 place-items-center rounded-2 text-fg-3 hover:bg-menu-active hover:text-fg',
        },
      }}
    />,
    document.body,
  );
}
