import { Dialog } from 'radix-ui';
import {
  type ComponentProps,
  type RefObject,
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import type { DomainWire } from '../../../contract/domain.ts';
import { keepOpenForToasts } from '../../ui/dialog.tsx';
import { lazyPart } from '../../ui/lazy.tsx';
import { cardElement, panelOpener } from '../../domain/domain-actions.tsx';
import { useMediaQuery } from '../../lib/use-media-query.ts';

// Maximum time of the slide, in ms. `transitionend` comes after 300 ms; the timeout covers the case that it never comes.
const MAX_SLIDE_MS = 320;

/** From this window width on, the page makes room for the panel; see `main.css`. */
const BESIDE_PAGE = '(min-width: 64rem)';

const SLIDE =
  'flex flex-col bg-surface transition-[translate] duration-300 ease-panel-in starting:translate-x-full data-leaving:translate-x-full data-leaving:ease-panel-out';

const loadContent = async () => (await import('./panel-content.tsx')).PanelContent;
const PanelContent = lazyPart(loadContent);

interface DomainPanelProps extends Omit<ComponentProps<typeof PanelContent>, 'domain'> {
  /** What to show; null slides the panel out. */
  domain: DomainWire | null;
}

/** Shows the details of one domain: beside the page from 1024 px, in a full-screen sheet below. */
export function DomainPanel({ domain, ...content }: DomainPanelProps) {
  const { onClose } = content;
  const { shown, isLeaving, gone } = useLingering(domain, MAX_SLIDE_MS);
  const isWide = useMediaQuery(BESIDE_PAGE);
  const panel = useRef<HTMLElement>(null);
  useEscapeFromFields(panel, onClose);
  useContentAhead();
  useRoom(domain?.id ?? null);
  const returnFocus = useEffectEvent(() => {
    const { activeElement } = document;
    const isLost = activeElement === document.body || panel.current?.contains(activeElement);
    if (shown && isLost) panelOpener(shown.id)?.focus();
  });
  // The panel's content may have loaded and taken the focus after the panel was closed.
  useEffect(() => {
    if (isLeaving) returnFocus();
  }, [isLeaving]);
  if (!shown) return null;

  const label = `Details for ${shown.display_name}`;
  const sliding: ComponentProps<'div'> & { 'data-leaving'?: true } = {
    'data-leaving': isLeaving || undefined,
    onTransitionEnd: (event) => {
      if (isLeaving && event.target === event.currentTarget) gone();
    },
  };

  if (isWide)
    return (
      <aside
        {...sliding}
        aria-label={label}
        ref={panel}
        inert={isLeaving}
        className={`${SLIDE} fixed top-[60px] right-0 bottom-0 z-30 w-[400px] border-l border-line shadow-3`}
      >
        <PanelContent {...content} domain={shown} />
      </aside>
    );

  return (
    <Dialog.Root open onOpenChange={(open) => (open ? undefined : onClose())}>
      <Dialog.Portal>
        <Dialog.Content
          {...sliding}
          aria-label={label}
          aria-describedby={undefined}
          className={`${SLIDE} fixed inset-0 z-40 pt-[env(safe-area-inset-top)] outline-none`}
          // The panel's heading takes the focus itself, also where the panel is no dialog.
          onOpenAutoFocus={(event) => event.preventDefault()}
          onInteractOutside={keepOpenForToasts}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            panelOpener(shown.id)?.focus();
          }}
        >
          <Dialog.Title className="sr-only">{label}</Dialog.Title>
          <PanelContent {...content} domain={shown} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Loads the panel's content when the pointer or the focus first reaches a control of the page, before a panel is opened. */
function useContentAhead(): void {
  useEffect(() => {
    const stop = new AbortController();
    const load = ({ target }: Event): void => {
      if (!(target instanceof Element) || !target.closest('main :is(a, button)')) return;
      stop.abort();
      loadContent().catch(() => undefined);
    };
    for (const event of ['pointerover', 'focusin'])
      document.addEventListener(event, load, { signal: stop.signal });
    return () => stop.abort();
  }, []);
}

/** Lets the page make room while the panel is open. The domain whose panel is open keeps its place in the window meanwhile. */
function useRoom(openId: string | null): void {
  const lastOpenId = useRef(openId);
  useLayoutEffect(() => {
    if (openId !== null) lastOpenId.current = openId;
  }, [openId]);
  const isOpen = openId !== null;
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    const { dataset } = document.documentElement;
    const elementOfOpened = () => cardElement(lastOpenId.current ?? '');
    holdPlace(elementOfOpened(), () => (dataset['panel'] = 'open'));
    return () => holdPlace(elementOfOpened(), () => delete dataset['panel']);
  }, [isOpen]);
}

let holding = new AbortController();

/**
 * Keeps the element at its height in the window while `reflow`, which wraps the texts above it differently, takes effect.
 * Stops when the user scrolls.
 */
function holdPlace(element: HTMLElement | null, reflow: () => void): void {
  holding.abort();
  const top = element?.getBoundingClientRect().top ?? 0;
  reflow();
  if (!element || window.scrollY === 0 || !window.matchMedia(BESIDE_PAGE).matches) return;
  holding = new AbortController();
  const { signal } = holding;
  const stop = holding.abort.bind(holding);
  for (const event of ['wheel', 'touchmove', 'keydown'])
    window.addEventListener(event, stop, { signal, passive: true });
  setTimeout(stop, MAX_SLIDE_MS);
  const hold = (): void => {
    if (signal.aborted || !element.isConnected) return;
    window.scrollBy({ top: element.getBoundingClientRect().top - top, behavior: 'instant' });
    requestAnimationFrame(hold);
  };
  hold();
}

/** Closes the panel when Escape is pressed in one of its fields. The page ignores the key there. The typed text is kept as a draft. */
function useEscapeFromFields(panel: RefObject<HTMLElement | null>, close: () => void): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return;
    const { target } = event;
    if (target instanceof Element && target.matches('input, textarea') && panel.current?.contains(target))
      close();
  });
  useEffect(() => {
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}

/**
 * Keeps the last value during the exit animation: after `value` became null, `shown` keeps it for up to `longestMs`, or until
 * `gone` is called.
 */
function useLingering<Value>(value: Value | null, longestMs: number) {
  const [last, setLast] = useState(value);
  if (value !== null && value !== last) setLast(value);
  const gone = useCallback(() => setLast(null), []);
  const isLeaving = value === null && last !== null;
  useEffect(() => {
    if (!isLeaving) return undefined;
    const timer = setTimeout(gone, longestMs);
    return () => clearTimeout(timer);
  }, [isLeaving, gone, longestMs]);
  return { shown: value ?? last, isLeaving, gone };
}
