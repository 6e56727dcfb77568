import { type KeyboardEvent, memo, type MouseEvent, useRef, useState } from 'react';
import { openerId } from '../../../domain/domain-actions.tsx';
import type { HorizonLink, Target } from './horizon-links.ts';
import type { PinHighlight } from './use-pin-highlight.ts';

interface PinLinksProps {
  /** Names the list for screen readers. */
  label: string;
  links: readonly HorizonLink[];
  /** The domain whose panel is open. */
  openId: string | null;
  highlight: PinHighlight;
  onFollow: (target: Target) => void;
  /** Called when an arrow key with Shift moved the focus from one link to another. */
  onExtend?: (from: HorizonLink, to: HorizonLink) => void;
}

/** Renders the links behind the drawing. They are one tab stop; arrow keys move between them in date order. */
export const PinLinks = memo(function PinLinks(props: PinLinksProps) {
  const { label, links, openId, highlight, onFollow, onExtend } = props;
  const list = useRef<HTMLOListElement>(null);
  const [stop, setStop] = useState<string | null>(null);
  // The domain whose panel was opened from a link. Kept until the focus has returned to the link and moved on.
  const [openedHere, setOpenedHere] = useState<string | null>(null);
  const stopKey = links.some(({ key }) => key === stop) ? stop : (links[0]?.key ?? null);
  const elementOf = (key: string) =>
    list.current?.querySelector<HTMLElement>(`[data-pin="${CSS.escape(key)}"]`);
  if (links.length === 0) return null;

  const onKeyDown = (event: KeyboardEvent, index: number) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const [former, next] = [links[index], links[nextIndex(event.key, index, links.length)]];
    if (!former || !next) return;
    event.preventDefault();
    elementOf(next.key)?.focus();
    if (event.shiftKey) onExtend?.(former, next);
  };
  const onClick = (event: MouseEvent, { key, target }: HorizonLink) => {
    // Leave clicks that open a new tab or window to the browser.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    setStop(key);
    if (target.kind === 'domain') setOpenedHere(target.id);
    onFollow(target);
  };

  return (
    <ol ref={list} aria-label={label}>
      {links.map((link, index) => (
        <li key={link.key}>
          <a
            href={addressOf(link.target)}
            id={link.key === openedHere ? openerId(link.key) : undefined}
            data-pin={link.key}
            aria-label={link.name}
            aria-current={(link.target.kind === 'domain' && link.target.id === openId) || undefined}
            tabIndex={link.key === stopKey ? 0 : -1}
            className="absolute rounded-1 outline-offset-0! focus-visible:z-10"
            style={link.box}
            onKeyDown={(event) => onKeyDown(event, index)}
            onClick={(event) => onClick(event, link)}
            onPointerEnter={(event) => event.pointerType !== 'touch' && highlight.give(link.key)}
            onPointerLeave={highlight.releaseSoon}
            onFocus={(event) => {
              setStop(link.key);
              if (event.target.matches(':focus-visible')) highlight.give(link.key);
            }}
            onBlur={() => {
              highlight.release();
              if (openId === null) setOpenedHere(null);
            }}
          />
        </li>
      ))}
    </ol>
  );
});

function nextIndex(key: string, index: number, count: number): number {
  if (key === 'ArrowRight' || key === 'ArrowDown') return Math.min(index + 1, count - 1);
  if (key === 'ArrowLeft' || key === 'ArrowUp') return Math.max(index - 1, 0);
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : -1;
}

/** Returns the URL of a link, for opening it in a new tab. A click in this tab also keeps the other search parameters. */
function addressOf(target: Target): string {
  if (target.kind === 'domain') return `/dashboard?domain=${encodeURIComponent(target.id)}`;
  if (target.kind === 'certificate') return `/certificates?certificate=${target.fingerprint}`;
  if (target.kind === 'expired') return '/dashboard?status=expired';
  return `/dashboard?${target.kind === 'span' ? `span=${target.span}` : `expires=${target.period}`}`;
}
