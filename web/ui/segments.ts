import { classNames } from './class-names.ts';

/** Classes around a segmented control. */
export const SEGMENTS = 'inline-flex rounded-2 border border-line bg-sunken p-0.5';

export function segmentClass(isChosen: boolean): string {
  return classNames(
    'inline-flex min-h-[26px] items-center rounded-1 px-2.5 text-meta font-[520] whitespace-nowrap',
    isChosen
      ? 'bg-surface text-fg shadow-[0_0_0_1px_var(--line-2),var(--elevation-1)] dark:bg-line forced-colors:bg-[Highlight] forced-colors:text-[HighlightText] forced-colors:forced-color-adjust-none'
      : 'text-fg-3 hover:text-fg',
  );
}
