import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { Glyph } from './glyph.tsx';

/** The look of what can be done about a notice. */
export const NOTICE_ACTION =
  'inline-flex min-h-11 items-center font-semibold whitespace-nowrap underline underline-offset-2 disabled:no-underline md:min-h-6';

/** The 40 px bar below the header: one message with what can be done about it, and nothing at all when there is none. */
export function NoticeBar({ children, actions }: { children: ReactNode; actions?: ReactNode }) {
  return (
    <div className={classNames(children != null && 'border-b border-line bg-soon-bg text-soon-fg')}>
      <div className="wrap flex flex-wrap items-center gap-x-4 text-label font-medium">
        <output className="block">
          {children != null && (
            <span className="flex gap-2 py-[11px]">
              <Glyph name="soon" className="mt-0.5 size-3.5" />
              <span className="[overflow-wrap:anywhere]">{children}</span>
            </span>
          )}
        </output>
        {children != null && actions && (
          <div className="flex gap-4 max-md:-mt-2.5 max-md:ml-[22px]">{actions}</div>
        )}
      </div>
    </div>
  );
}
