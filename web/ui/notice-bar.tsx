import type { ReactNode } from 'react';
import { Glyph } from './glyph.tsx';

/** The 40 px bar below the header: one message, and nothing at all when there is none. */
export function NoticeBar({ children }: { children: ReactNode }) {
  return (
    <output className="block">
      {children && (
        <div className="border-b border-line bg-soon-bg text-soon-fg">
          <p className="wrap flex min-h-10 items-center gap-2 py-2 text-label font-medium">
            <Glyph name="soon" className="size-3.5" />
            <span>{children}</span>
          </p>
        </div>
      )}
    </output>
  );
}
