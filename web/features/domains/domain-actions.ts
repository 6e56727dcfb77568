import type { DomainWire } from '../../../contract/domain.ts';

/** What can be done with one domain, wherever it is shown. */
export interface DomainActions {
  refresh: (domain: DomainWire) => void;
  showDetails: (domain: DomainWire) => void;
  pause: (domain: DomainWire) => void;
  resume: (domain: DomainWire) => void;
  askToRemove: (domain: DomainWire) => void;
}

/** The id of the element that stands for the domain in the grid and takes the focus for it. */
export function cardId(id: string): string {
  return `domain-${id}`;
}

/** The focusable part of the domain's card, where it is shown. */
export function cardElement(id: string): HTMLElement | null {
  return document.getElementById(cardId(id));
}

/** The id of a link outside the list that the domain's panel was opened from, as long as it is to lead back there. */
export function openerId(id: string): string {
  return `opener-${id}`;
}

/** What the end of the domain's panel gives the focus back to: where it was opened from, else its card. */
export function panelOpener(id: string): HTMLElement | null {
  return document.getElementById(openerId(id)) ?? cardElement(id);
}
