import {
  Children,
  type ComponentProps,
  type ReactNode,
  type RefObject,
  useLayoutEffect,
  useRef,
} from 'react';
import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import { PHONE, useMediaQuery } from '../lib/use-media-query.ts';
import { classNames } from './class-names.ts';
import { Button, IconButton } from './button.tsx';

export const SCRIM = 'fixed inset-0 z-40 bg-scrim data-[state=open]:animate-[appear_180ms]';
/** Classes of a dialog: 520 px wide, centred; below 720 px a sheet at the bottom. Content that is too high scrolls inside. */
export const DIALOG_BOX = classNames(
  'fixed z-50 max-h-[calc(100dvh-2rem)] overflow-y-auto border border-line bg-surface px-5 pt-5 pb-[max(1.25rem,env(safe-area-inset-bottom))] shadow-3 outline-none',
  'inset-x-0 bottom-0 rounded-t-5 data-[state=open]:animate-[sheet-in_180ms_ease-out]',
  'md:inset-x-auto md:bottom-auto md:top-1/2 md:left-1/2 md:w-[520px] md:-translate-x-1/2 md:-translate-y-1/2 md:rounded-5 md:px-[26px] md:pt-6 md:pb-[26px] md:data-[state=open]:animate-[dialog-in_180ms_ease-out]',
);
export const DIALOG_TITLE = 'text-title font-bold tracking-[-.018em]';
export const DIALOG_DESCRIPTION = 'mt-1 text-body text-fg-2 [overflow-wrap:anywhere]';

export interface OpenState {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

export interface DialogProps extends OpenState {
  title: string;
  description?: ReactNode;
  /** Returns the element that gets the focus when the dialog closes. If absent or null, the element that had the focus before. */
  focusAfterClose?: () => HTMLElement | null;
  /** Returns the element that gets the focus when the dialog opens. If absent or null, the first focusable element. */
  focusFirst?: () => HTMLElement | null;
  /** A close button at the top right, for long dialogs. */
  hasCross?: boolean;
  /** Closes only by its own buttons, because it shows a secret only once. */
  isKept?: boolean;
  /** 760 px instead of 520, for a table. */
  wide?: boolean;
  children: ReactNode;
}

/** Returns the focused element. If it is in a menu that is about to close, returns the button that opened the menu. */
export function focusOrigin(): HTMLElement | null {
  const focused = document.activeElement;
  const opener = focused?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  const origin = opener ? document.getElementById(opener) : focused;
  return origin instanceof HTMLElement ? origin : null;
}

/** Returns the handler for Radix's `onCloseAutoFocus`. Radix itself returns the focus only to its own triggers. */
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

/** Keeps a dialog open when a toast is closed. Pass it to Radix's `onInteractOutside`. */
export function keepOpenForToasts(event: Event): void {
  if (event.target instanceof Element && event.target.closest('[data-sonner-toaster]'))
    event.preventDefault();
}

const preventDefault = (event: Event) => event.preventDefault();

/** Shows a modal dialog: traps focus; Escape and the backdrop close it. */
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

interface FormProps extends Omit<ComponentProps<'form'>, 'onSubmit'> {
  onSubmit: () => void;
}

/** Shows a form that calls `onSubmit` instead of being sent by the browser. Its fields show their own errors. */
export function Form({ onSubmit, ...rest }: FormProps) {
  return (
    <form
      noValidate
      {...rest}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    />
  );
}

/** Places the buttons of a dialog: at the right, primary last; below 720 px full width, primary on top. */
export function DialogActions({ children }: { children: ReactNode }) {
  const row = useRef<HTMLDivElement>(null);
  useToastsAbove(row);
  return (
    <div
      ref={row}
      className="mt-5 flex flex-col gap-2.5 md:flex-row md:justify-end [&>button]:w-full md:[&>button]:w-auto"
    >
      <ReversedOnPhone>{children}</ReversedOnPhone>
    </div>
  );
}

/** Closes a dialog or form without doing anything. */
export function CancelButton({ onClick }: { onClick: () => void }) {
  return (
    <Button variant="outline" onClick={onClick}>
      Cancel
    </Button>
  );
}

/**
 * Shows the last child, the primary button, first on phones. Changes the order in the document: with styles alone, the Tab
 * key would not follow the order on the screen.
 */
export function ReversedOnPhone({ children }: { children: ReactNode }) {
  const isPhone = useMediaQuery(PHONE);
  return isPhone ? Children.toArray(children).toReversed() : children;
}

/** Below this width of the window a dialog is a sheet at the bottom. */
const SHEET_BELOW_PX = 720;
/** Width of a toast in px, with its distance from the window's right edge and from a dialog. */
const TOAST_PX = 392;
const TOAST_GAP_PX = 12;
/** Height in px that a toast needs below a dialog. */
const ROOM_BELOW_PX = 120;

/** While a dialog is open, keeps toasts beside or below it, or above its buttons if there is room in neither place; see `main.css`. */
function useToastsAbove(row: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const buttons = row.current;
    const box = buttons?.closest<HTMLElement>('[role=dialog], [role=alertdialog]');
    if (!buttons || !box) return undefined;
    const { style } = document.documentElement;
    const former = ['--toast-above-dialog', '--toast-beside-dialog'].map(
      (name) => [name, style.getPropertyValue(name)] as const,
    );
    const place = (): void => {
      // The place of the dialog's box is computed from its size, because it is still moving while it opens.
      const below = innerWidth < SHEET_BELOW_PX ? 0 : (innerHeight - box.offsetHeight) / 2;
      const isApart = (innerWidth - box.offsetWidth) / 2 >= TOAST_PX || below >= ROOM_BELOW_PX;
      const offset = buttons.getBoundingClientRect().top - box.getBoundingClientRect().top;
      const height = Math.round(below + box.offsetHeight - offset + TOAST_GAP_PX);
      style.setProperty('--toast-above-dialog', isApart ? '' : `${height}px`);
      style.setProperty('--toast-beside-dialog', '24px');
    };
    const sizes = new ResizeObserver(place);
    sizes.observe(box);
    sizes.observe(document.documentElement);
    return () => {
      sizes.disconnect();
      for (const [name, value] of former) style.setProperty(name, value);
    };
  }, [row]);
}
