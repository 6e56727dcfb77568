import { classNames } from './class-names.ts';

// White on each of these reaches 4.5:1, and at 18 px no two of them look alike.
const GROUNDS = ['#8a5a2b', '#0b6e4f', '#a63d57', '#b34a12', '#1f4e8c', '#5b4b9a', '#37566b'];

function hash(text: string): number {
  let value = 0;
  for (const character of text) value = (value * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return value;
}

/** The last label but one of a name: hosts of one site share a colour. */
function siteOf(hostname: string): string {
  return hostname.split('.').slice(-2).join('.');
}

/** A letter on the site's own colour, the same on every visit. */
export function FaviconTile({ hostname, size = 'medium' }: { hostname: string; size?: 'small' | 'medium' }) {
  const letter = /[\p{L}\p{N}]/u.exec(hostname)?.[0]?.toUpperCase() ?? '#';
  return (
    <span
      aria-hidden="true"
      className={classNames(
        'grid flex-none place-items-center',
        size === 'medium'
          ? 'size-8 rounded-3 border border-line bg-surface dark:border-line-2 dark:bg-sunken'
          : 'size-6 rounded-2',
      )}
    >
      <span
        className="grid size-[18px] place-items-center rounded-1 text-[11px]/none font-[700] text-white"
        style={{ background: GROUNDS[hash(siteOf(hostname)) % GROUNDS.length] }}
      >
        {letter}
      </span>
    </span>
  );
}
