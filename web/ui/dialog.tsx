import { useLayoutEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import { classNames } from './class-names.ts';
import { IconButton } from './icon-button.tsx';

export const SCRIM = 'fixed inset-0 z-40 bg-scrim data-[state=open]:animate-[appear_180ms]';
/** 520 px in the middle; below 720 px a sheet at the bottom. Overflowing content scrolls inside. */
export const DIALOG_BOX = classNames(
  'fixed z-50 max-h-[calc(100dvh-2rem)] overflow-y-auto border border-line bg-surface px-5 pt-5 pb-[max(1.25rem,env(safe-area-inset-bottom))] shadow-3 outline-none',
  'inset-x-0 bottom-0 rounded-t-5 data-[state=open]:animate-[sheet-in_180ms_ease-out]',
  'md:inset-x-auto md:bottom-auto md:top-1/2 md:left-1/2 md:w-[520px] md:-translate-x-1/2 md:-translate-y-1/2 md:rounded-5 md:px-[26px] md:pt-6 md:pb-[26px] md:data-[state=open]:animate-[dialog-in_180ms_ease-out]',
);
export const DIALOG_TITLE = 'text-title font-bold tracking-[-.018em]';
export const DIALOG_DESCRIPTION = 'mt-1 text-body text-fg-2 [overflow-wrap:anywhere]';

export interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  /** Where focus goes when it closes; without one, or when it returns null, back to where it came from. */
  focusAfterClose?: () => HTMLElement | null;
  /** What takes the focus when it opens; without one, or when it returns null, the first that can. */
  focusFirst?: () => HTMLElement | null;
  /** A cross at the upper right, for a dialog that is longer than a question. */
  hasCross?: boolean;
  /** Closes by its own buttons alone, where it shows what is never shown again. */
  isKept?: boolean;
  /** 760 px instead of 520, for a table. */
  wide?: boolean;
  children: ReactNode;
}

/** What has the focus; of a menu, which is about to close, the button that opened it. */
export function focusOrigin(): HTMLElement | null {
  const focused = document.activeElement;
  const opener = focused?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  const origin = opener ? document.getElementById(opener) : focused;
  return origin instanceof HTMLElement ? origin : null;
}

/** For Radix's `onCloseAutoFocus`, which by itself returns the focus to Radix's own triggers only. */
export function useFocusReturn(
  open: boolean,
  focusAfterClose: DialogProps['focusAfterClose'],
): (event: Event) => void {
  const origin = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (open) origin.current = focusOrigin();
  }, [open]);
  return (event) => {
    event.preventDefault();
    const target = focusAfterClose?.() ?? origin.current;
    if (target?.isConnected) target.focus();
  };
}

/** For Radix's `onInteractOutside`: closing a toast is no reason to close the dialog that it speaks of. */
export function keepOpenForToasts(event: Event): void {
  if (event.target instanceof Element && event.target.closest('[data-sonner-toaster]'))
    event.preventDefault();
}

const preventDefault = (event: Event) => event.preventDefault();

/** A modal dialog: focus stays inside, Escape and the scrim close it. */
export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  focusAfterClose,
  focusFirst,
  hasCross = false,
  isKept = false,
  wide = false,
  children,
}: DialogProps) {
  const returnFocus = useFocusReturn(open, focusAfterClose);
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={SCRIM} />
        <Radix.Content
          className={classNames(DIALOG_BOX, wide && 'md:w-[min(760px,calc(100vw-3rem))]!')}
          onOpenAutoFocus={(event) => {
            const first = focusFirst?.();
            if (!first) return;
            event.preventDefault();
            first.focus();
          }}
          onCloseAutoFocus={returnFocus}
          onInteractOutside={isKept ? preventDefault : keepOpenForToasts}
          onEscapeKeyDown={isKept ? preventDefault : undefined}
          {...(description ? {} : { 'aria-describedby': undefined })}
        >
          <Radix.Title className={classNames(DIALOG_TITLE, hasCross && !isKept && 'pr-10')}>
            {title}
          </Radix.Title>
          {description && <Radix.Description className={DIALOG_DESCRIPTION}>{description}</Radix.Description>}
          {children}
          {hasCross && !isKept && (
            <Radix.Close asChild>
              <IconButton label="Close" className="absolute top-2 right-2 md:top-3.5 md:right-3.5">
                <X className="size-4" strokeWidth={1.6} aria-hidden="true" />
              </IconButton>
            </Radix.Close>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** The buttons of a dialog: at the right, primary last; below 720 px full width, primary on top. */
export function DialogActions({ children }: { children: ReactNode }) {
  return (
    <div className="mt-5 flex flex-col-reverse gap-2.5 md:flex-row md:justify-end [&>button]:w-full md:[&>button]:w-auto">
      {children}
    </div>
  );
}
