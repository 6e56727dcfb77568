import { useState } from 'react';
import { classNames } from './class-names.ts';

// Background colours. White text on each has a contrast of at least 4.5:1. None is red, amber or green, because these stand
// for states.
const GROUNDS = ['#1f4e8c', '#2f6fb3', '#5b4b9a', '#7f5fc0', '#86478f', '#37566b', '#6b7280'];

function hash(text: string): number {
  let value = 0;
  for (const character of text) value = (value * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return value;
}

/** Returns the second-level label of a name, so that hosts of one site share a colour. */
function siteOf(hostname: string): string {
  return hostname.split('.').slice(-2).join('.');
}

interface FaviconTileProps {
  hostname: string;
  /** URL of the site's icon on our own origin; null if none is known. */
  src?: string | null;
  size?: 'small' | 'medium';
}

/** Shows the site's icon; without one, or while it loads, a letter on the site's colour. */
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
