import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { createPortal } from 'react-dom';

const ID = 'header-slot';

/** The place in the header where a page may put what belongs to it alone. */
export function HeaderSlot() {
  return <span id={ID} className="contents" />;
}

/** Puts its children into the header; nowhere while there is none. */
export function InHeader({ children }: { children: ReactNode }) {
  const [place, setPlace] = useState<HTMLElement | null>(null);
  useEffect(() => setPlace(document.getElementById(ID)), []);
  return place && createPortal(children, place);
}
