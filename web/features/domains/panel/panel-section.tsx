import type { ReactNode } from 'react';

interface PanelSectionProps {
  title: string;
  /** Small text at the title's right. */
  aside?: ReactNode;
  children: ReactNode;
}

export function PanelSection({ title, aside, children }: PanelSectionProps) {
  return (
    <section className="border-b border-line px-5 pt-[18px] pb-5 last:border-b-0">
      <h3 className="mb-3 flex items-center justify-between text-label font-semibold">
        {title}
        {aside !== undefined && <span className="num text-meta font-normal text-fg-3">{aside}</span>}
      </h3>
      {children}
    </section>
  );
}
