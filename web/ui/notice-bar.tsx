import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { Glyph } from './glyph.tsx';

/** Classes of a notice's action. */
export const NOTICE_ACTION =
  'inline-flex min-h-11 items-center font-semibold whitespace-nowrap underline underline-offset-2 disabled:no-underline md:min-h-6';

interface NoticeBarProps {
  children: ReactNode;
  actions?: ReactNode;
  /** True for a notice that can wait. It has no colour and no glyph. */
  isCalm?: boolean;
}

/** Shows one message and its actions in a bar of 40 px below the header; empty without a notice. */
export function NoticeBar({ children, actions, isCalm = false }: NoticeBarProps) {
  const ground = isCalm ? 'bg-sunken text-fg-2' : 'bg-soon-bg text-soon-fg';
  return (
    // A landmark between header and page, only if there is a notice: screen readers would announce an empty one.
    <section
      aria-label={children == null ? undefined : 'Notice'}
      className={classNames(children != null && `border-b border-line ${ground}`)}
    >
      <div
        className={classNames(
          'wrap flex flex-wrap items-center gap-x-4 text-label font-medium md:gap-y-1',
          children != null && 'md:py-2',
        )}
      >
        <output className="block">
          {children != null && (
            <span className="flex gap-2 py-[11px] md:py-[3px]">
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
