import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';

/** Shows a row of a settings page: title at the left, controls at the right. */
export function Row({
  id,
  title,
  description,
  children,
}: {
  /** Anchor for links. */
  id?: string;
  title: string;
  description: string;
  children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  const hash = useLocation({ select: (location) => location.hash });
  // The browser looks for the anchor before the row is rendered, so scroll to it now.
  useEffect(() => {
    if (id === undefined || hash !== id) return;
    heading.current?.closest('section')?.scrollIntoView();
    heading.current?.focus({ preventScroll: true });
  }, [hash, id]);
  return (
    <section
      id={id}
      className="grid scroll-mt-16 gap-4 border-b border-line py-7 last:border-0 md:grid-cols-[240px_1fr] md:gap-10"
    >
      <div>
        <h2 ref={heading} tabIndex={id === undefined ? undefined : -1} className="text-lead/5 font-semibold">
          {title}
        </h2>
        <p className="mt-1 text-[13.5px]/5 text-fg-2">{description}</p>
      </div>
      <div>{children}</div>
    </section>
  );
}
