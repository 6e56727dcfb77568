import { useState } from 'react';
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

interface FaviconTileProps {
  hostname: string;
  /** Where the site's icon is, below our own origin; null where none is known. */
  src?: string | null;
  size?: 'small' | 'medium';
}

/** The site's icon, and until it is there or where there is none, a letter on the site's own colour. */
export function FaviconTile({ hostname, src = null, size = 'medium' }: FaviconTileProps) {
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
      <Icon key={src} hostname={hostname} src={src} />
    </span>
  );
}

function Icon({ hostname, src }: { hostname: string; src: string | null }) {
  const [state, setState] = useState<'loading' | 'loaded' | 'failed'>('loading');
  const letter = /[\p{L}\p{N}]/u.exec(hostname)?.[0]?.toUpperCase() ?? '#';
  return (
    <span className="relative block size-[18px]">
      {state !== 'loaded' && (
        <span
          className="grid size-full place-items-center rounded-1 text-[11px]/none font-[700] text-white"
          style={{ background: GROUNDS[hash(siteOf(hostname)) % GROUNDS.length] }}
        >
          {letter}
        </span>
      )}
      {src !== null && state !== 'failed' && (
        <img
          src={src}
          alt=""
          width={18}
          height={18}
          loading="lazy"
          decoding="async"
          className={classNames(
            'absolute inset-0 size-full rounded-1 object-contain',
            state === 'loading' && 'opacity-0',
          )}
          onLoad={() => setState('loaded')}
          onError={() => setState('failed')}
        />
      )}
    </span>
  );
}
