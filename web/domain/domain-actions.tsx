import { Pause, Play, RefreshCw, X } from 'lucide-react';
import type { DomainWire } from '../../contract/domain.ts';
import { KeyHint, MenuItem } from '../ui/menu.tsx';

interface ItemProps {
  domain: DomainWire;
  actions: DomainActions;
}

export function RefreshItem({ domain, actions }: ItemProps) {
  return (
    <MenuItem disabled={domain.paused !== null} onSelect={() => actions.refresh(domain)}>
      <RefreshCw strokeWidth={1.6} aria-hidden="true" />
      Refresh
      <KeyHint>r</KeyHint>
    </MenuItem>
  );
}

/** Pauses or resumes the domain. */
export function PauseItem({ domain, actions }: ItemProps) {
  const isPaused = domain.paused !== null;
  const Icon = isPaused ? Play : Pause;
  return (
    <MenuItem onSelect={() => (isPaused ? actions.resume : actions.pause)(domain)}>
      <Icon strokeWidth={1.6} aria-hidden="true" />
      {isPaused ? 'Resume' : 'Pause'}
    </MenuItem>
  );
}

export function RemoveItem({ domain, actions }: ItemProps) {
  return (
    <MenuItem danger onSelect={() => actions.askToRemove(domain)}>
      <X strokeWidth={1.6} aria-hidden="true" />
      Remove
      <KeyHint>Del</KeyHint>
    </MenuItem>
  );
}

/** The actions that menus and buttons offer for a domain. */
export interface DomainActions {
  refresh: (domain: DomainWire) => void;
  showDetails: (domain: DomainWire) => void;
  pause: (domain: DomainWire) => void;
  resume: (domain: DomainWire) => void;
  askToRemove: (domain: DomainWire) => void;
}

/** Returns the id of the domain's focusable element in the grid. */
export function cardId(id: string): string {
  return `domain-${id}`;
}

/** Returns the focusable element of the domain's card, if mounted. */
export function cardElement(id: string | undefined): HTMLElement | null {
  return id === undefined ? null : document.getElementById(cardId(id));
}

/** Returns the id of the link outside the list that opened the domain's panel. */
export function openerId(id: string): string {
  return `opener-${id}`;
}

/** Returns the element that gets focus when the domain's panel closes: the link that opened it, else its card. */
export function panelOpener(id: string): HTMLElement | null {
  return document.getElementById(openerId(id)) ?? cardElement(id);
}

/** The id of the heading of the open panel. */
export const PANEL_HEADING = 'panel-heading';

/** Returns the heading of the panel, if one is open. */
export const findPanelHeading = (): HTMLElement | null => document.getElementById(PANEL_HEADING);
