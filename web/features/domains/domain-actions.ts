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
