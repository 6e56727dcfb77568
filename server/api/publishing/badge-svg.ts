/** State that a badge shows. `daysLeft` is a number of whole days, rounded down. */
export type BadgeState =
  | { state: 'valid' | 'soon' | 'critical'; daysLeft: number }
  | { state: 'expired' | 'revoked' | 'untrusted' | 'down' | 'unknown' | 'paused' };

interface Appearance {
  word: string;
  /** Text for screen readers. */
  spoken: string;
  background: string;
  glyph: string;
}

/** White glyphs on a grid of 16 × 16, as in the web app. Each shape is recognisable without colours. */
const GLYPHS = {
  ring: '<circle cx="8" cy="8" r="5.4" fill="none" stroke="#fff" stroke-width="3"/>',
  diamond: '<path fill="#fff" d="M8 .8 15.2 8 8 15.2.8 8z"/>',
  triangle: '<path fill="#fff" d="M8 1.2 15.2 14.3H.8z"/>',
  cross: '<path stroke="#fff" stroke-width="3" stroke-linecap="round" d="m3.5 3.5 9 9m0-9-9 9"/>',
  barred:
    '<circle cx="8" cy="8" r="6" fill="none" stroke="#fff" stroke-width="2"/><path d="m4 12 8-8" stroke="#fff" stroke-width="2"/>',
  square: '<path fill="none" stroke="#fff" stroke-width="2" d="M2.4 2.4h11.2v11.2H2.4z"/>',
  pause: '<path fill="#fff" d="M2.6 2h3.8v12H2.6zM9.6 2h3.8v12H9.6z"/>',
};

const RED = '#b3261e';
const GREY = '#5b6778';

type StateWithoutDays = Exclude<BadgeState, { daysLeft: number }>['state'];

const APPEARANCES: Record<StateWithoutDays, Appearance> = {
  expired: { word: 'expired', spoken: 'expired', background: '#861a17', glyph: GLYPHS.cross },
  revoked: { word: 'revoked', spoken: 'revoked', background: '#0c1424', glyph: GLYPHS.barred },
  untrusted: { word: 'not trusted', spoken: 'not trusted', background: RED, glyph: GLYPHS.square },
  down: { word: 'down', spoken: 'the server is down', background: RED, glyph: GLYPHS.cross },
  unknown: { word: 'unknown', spoken: 'not known yet', background: GREY, glyph: GLYPHS.square },
  paused: { word: 'paused', spoken: 'not monitored at the moment', background: GREY, glyph: GLYPHS.pause },
};

function appearanceOf(badge: BadgeState): Appearance {
  if (!('daysLeft' in badge)) return APPEARANCES[badge.state];
  const { state, daysLeft } = badge;
  const days = inDays(daysLeft);
  if (state === 'valid')
    return {
      word: `valid ${days}`,
      spoken: `valid, ${days} left`,
      background: '#005f6e',
      glyph: GLYPHS.ring,
    };
  const word = daysLeft === 0 ? 'expires today' : `expires in ${days}`;
  const isSoon = state === 'soon';
  return {
    word,
    spoken: word,
    background: isSoon ? '#7a5200' : RED,
    glyph: isSoon ? GLYPHS.diamond : GLYPHS.triangle,
  };
}

const inDays = (days: number) => `${days} ${days === 1 ? 'day' : 'days'}`;

/** Verdana's advance widths in 1/2048 em, for the characters that badges use. */
const WIDTHS: Readonly<Record<string, number>> = {
  ' ': 720,
  a: 1230,
  b: 1276,
  c: 1067,
  d: 1276,
  e: 1220,
  f: 720,
  g: 1276,
  h: 1296,
  i: 562,
  j: 705,
  k: 1212,
  l: 562,
  m: 1992,
  n: 1296,
  o: 1243,
  p: 1276,
  q: 1276,
  r: 874,
  s: 1067,
  t: 807,
  u: 1296,
  v: 1212,
  w: 1676,
  x: 1212,
  y: 1212,
  z: 1076,
};
const DIGIT_WIDTH = 1302;
const FONT_SIZE = 11;

/**
 * Returns the width of a text in px at the badge's font size, rounded to a tenth. Digits and unknown characters have the width of
 * a digit.
 */
export function textWidth(text: string): number {
  const units = Array.from(text).reduce((sum, letter) => sum + (WIDTHS[letter] ?? DIGIT_WIDTH), 0);
  return Math.round((units / 2048) * FONT_SIZE * 10) / 10;
}

const LABEL = 'certificate';
const LABEL_BACKGROUND = '#33415a';
const HEIGHT = 20;
const PADDING = 6;
const GLYPH_SIZE = 9;

/**
 * Renders a badge as SVG. The same state always yields the same bytes. `textLength` makes the text as wide in any font as in
 * Verdana. White text has a contrast of at least 4.5:1. A border makes the badge visible on dark pages.
 */
export function badgeSvg(badge: BadgeState): string {
  const { word, spoken, background, glyph } = appearanceOf(badge);
  const [labelWidth, wordWidth] = [textWidth(LABEL), textWidth(word)];
  const left = Math.round(PADDING + labelWidth + PADDING);
  const glyphAt = left + PADDING;
  const wordAt = glyphAt + GLYPH_SIZE + 4;
  const width = Math.ceil(wordAt + wordWidth + PADDING);
  const name = `Certificate: ${spoken}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label="${name}">`,
    `<title>${name}</title>`,
    '<style>.edge{stroke:none}@media (prefers-color-scheme:dark){.edge{stroke:#fff;stroke-opacity:.28}}</style>',
    `<clipPath id="shape"><rect width="${width}" height="${HEIGHT}" rx="4"/></clipPath>`,
    `<g clip-path="url(#shape)"><path fill="${LABEL_BACKGROUND}" d="M0 0h${left}v${HEIGHT}H0z"/><path fill="${background}" d="M${left} 0h${width - left}v${HEIGHT}H${left}z"/></g>`,
    `<rect class="edge" x=".5" y=".5" width="${width - 1}" height="${HEIGHT - 1}" rx="3.5" fill="none"/>`,
    `<svg x="${glyphAt}" y="${(HEIGHT - GLYPH_SIZE) / 2}" width="${GLYPH_SIZE}" height="${GLYPH_SIZE}" viewBox="0 0 16 16" aria-hidden="true">${glyph}</svg>`,
    `<g fill="#fff" font-family="Verdana,Geneva,'DejaVu Sans',sans-serif" font-size="${FONT_SIZE}" aria-hidden="true">`,
    `<text x="${PADDING}" y="14" textLength="${labelWidth}">${LABEL}</text>`,
    `<text x="${wordAt}" y="14" textLength="${wordWidth}">${word}</text>`,
    '</g></svg>\n',
  ].join('');
}
