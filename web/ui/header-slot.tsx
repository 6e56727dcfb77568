import { type ReactNode, useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';

const ID = 'header-slot';

/** Marks the place in the header for content of the current page. */
export function HeaderSlot() {
  return <span id={ID} className="contents" />;
}

/** Renders its children into the header slot, if there is one. */
export function InHeader({ children }: { children: ReactNode }) {
  const place = useSyncExternalStore(neverChanges, () => document.getElementById(ID));
  return place && createPortal(children, place);
}

/** A subscription that never notifies: the header exists longer than the page, so reading it once at mount is enough. */
const neverChanges = () => () => undefined;
