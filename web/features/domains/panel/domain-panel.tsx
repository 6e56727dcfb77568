import { Dialog } from 'radix-ui';
import { useEffect, useEffectEvent, useRef } from 'react';
import type { ComponentProps, RefObject } from 'react';
import type { DomainWire } from '../../../../contract/domain.ts';
import { keepOpenForToasts } from '../../../ui/dialog.tsx';
import { panelOpener } from '../domain-actions.ts';
import type { DomainActions } from '../domain-actions.ts';
import { PanelContent } from './panel-content.tsx';
import { useLingering } from './use-lingering.ts';
import { useMediaQuery } from './use-media-query.ts';

// transitionend comes at 300 ms; should it not come at all, this ends the wait.
const LONGEST_SLIDE_MS = 320;

const SLIDE =
  'flex flex-col bg-surface transition-[translate] duration-300 ease-panel-in starting:translate-x-full data-leaving:translate-x-full data-leaving:ease-panel-out';

interface DomainPanelProps {
  /** What to show; null slides the panel out. */
  domain: DomainWire | null;
  now: number;
  actions: DomainActions;
  onClose: () => void;
}

/** The details of one domain: beside the page from 768 px on, a full-screen sheet below. */
export function DomainPanel({ domain, now, actions, onClose }: DomainPanelProps) {
  const { shown, isLeaving, gone } = useLingering(domain, LONGEST_SLIDE_MS);
  const isWide = useMediaQuery('(min-width: 48rem)');
  const panel = useRef<HTMLElement>(null);
  useEscapeFromFields(panel, onClose);
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
        <PanelContent domain={shown} now={now} actions={actions} onClose={onClose} />
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
          // The heading takes the focus itself, here as beside the page.
          onOpenAutoFocus={(event) => event.preventDefault()}
          onInteractOutside={keepOpenForToasts}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            panelOpener(shown.id)?.focus();
          }}
        >
          <Dialog.Title className="sr-only">{label}</Dialog.Title>
          <PanelContent domain={shown} now={now} actions={actions} onClose={onClose} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** The page leaves Escape to who types. In the panel's fields it closes the panel: what was typed there is kept. */
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
