import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { Glyph } from './glyph.tsx';

/** The look of what can be done about a notice. */
export const NOTICE_ACTION =
  'inline-flex min-h-11 items-center font-semibold whitespace-nowrap underline underline-offset-2 disabled:no-underline md:min-h-6';

interface NoticeBarProps {
  children: ReactNode;
  actions?: ReactNode;
  /** For what may wait: no colour and no glyph. */
  isCalm?: boolean;
}

/** The 40 px bar below the header: one message with what can be done about it, and nothing at all when there is none. */
export function NoticeBar({ children, actions, isCalm = false }: NoticeBarProps) {
  const ground = isCalm ? 'bg-sunken text-fg-2' : 'bg-soon-bg text-soon-fg';
  return (
    // A landmark of its own, between those of the header and the page; an empty one would be noise.
    <section
      aria-label={children == null ? undefined : 'Notice'}
      className={classNames(children != null && `border-b border-line ${ground}`)}
    >
      <div className="wrap flex flex-wrap items-center gap-x-4 text-label font-medium">
        <output className="block">
          {children != null && (
            <span className="flex gap-2 py-[11px]">
              {!isCalm && <Glyph name="soon" className="mt-0.5 size-3.5" />}
              <span className="[overflow-wrap:anywhere]">{children}</span>
            </span>
          )}
        </output>
        {children != null && actions && (
          <div className={classNames('flex gap-4 max-md:-mt-2.5', !isCalm && 'max-md:ml-[22px]')}>
            {actions}
          </div>
        )}
      </div>
    </section>
  );
}
