import { memo, useRef, useState } from 'react';
import type { KeyboardEvent, MouseEvent } from 'react';
import { openerId } from '../../../domain/domain-actions.tsx';
import type { HorizonLink, Target } from './horizon-links.ts';
import type { PinHighlight } from './use-pin-highlight.ts';

interface PinLinksProps {
  links: readonly HorizonLink[];
  /** The domain whose panel is open. */
  openId: string | null;
  highlight: PinHighlight;
  onFollow: (target: Target) => void;
}

/** Renders the links behind a drawing: one tab stop, then arrow keys in date order. */
export const PinLinks = memo(function PinLinks({ links, openId, highlight, onFollow }: PinLinksProps) {
  const list = useRef<HTMLOListElement>(null);
  const [stop, setStop] = useState<string | null>(null);
  // The domain whose panel was opened here, until focus has returned and moved on.
  const [openedHere, setOpenedHere] = useState<string | null>(null);
  const stopKey = links.some(({ key }) => key === stop) ? stop : (links[0]?.key ?? null);
  const elementOf = (key: string) =>
    list.current?.querySelector<HTMLElement>(`[data-pin="${CSS.escape(key)}"]`);
  if (links.length === 0) return null;

  const onKeyDown = (event: KeyboardEvent, index: number) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = links[nextIndex(event.key, index, links.length)];
    if (!next) return;
    event.preventDefault();
    elementOf(next.key)?.focus();
  };
  const onClick = (event: MouseEvent, { key, target }: HorizonLink) => {
    // The browser opens new tabs and windows.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    setStop(key);
    if (target.kind === 'domain') setOpenedHere(target.id);
    onFollow(target);
  };

  return (
    <ol ref={list} aria-label="Certificates by expiry date">
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

/** Returns the URL for a new tab; a click keeps the other parameters. */
function addressOf(target: Target): string {
  if (target.kind === 'domain') return `/dashboard?domain=${encodeURIComponent(target.id)}`;
  if (target.kind === 'expired') return '/dashboard?status=expired';
  return target.kind === 'span' ? `/dashboard?span=${target.span}` : '/dashboard?sort=soonest';
}
