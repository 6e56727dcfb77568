import { useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';
import { createPortal } from 'react-dom';

const ID = 'header-slot';

/** The place in the header where a page may put what belongs to it alone. */
export function HeaderSlot() {
  return <span id={ID} className="contents" />;
}

/** Puts its children into the header; nowhere while there is none. */
export function InHeader({ children }: { children: ReactNode }) {
  const place = useSyncExternalStore(neverChanges, () => document.getElementById(ID));
  return place && createPortal(children, place);
}

/** The header stays as long as the page: what is new is found when the page is mounted. */
const neverChanges = () => () => undefined;
