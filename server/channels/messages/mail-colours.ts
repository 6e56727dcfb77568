/** Colours of the light theme in sRGB, because many mail programs support neither CSS variables nor oklch. */
export const COLOURS = {
  page: '#f0f4f7',
  surface: '#ffffff',
  border: '#dfe5ea',
  rule: '#e4e9ed',
  ink: '#141e31',
  secondary: '#455063',
  meta: '#606b7b',
  primary: '#006377',
} as const;

export type Tone = 'expired' | 'critical' | 'soon' | 'revoked' | 'ok';

interface ToneColours {
  background: string;
  text: string;
  /** Colour of the lifetime bar. */
  mark: string;
}

/** Colours and glyph of each tone. The glyph shows the tone to people who cannot distinguish the colours. */
export const TONES: Record<Tone, ToneColours & { glyph: string }> = {
  expired: { background: '#89181a', text: '#fff8f7', mark: '#89181a', glyph: '\u2715' },
  critical: { background: '#ffeae9', text: '#b21a1c', mark: '#df2a2a', glyph: '\u25b2' },
  soon: { background: '#fff2c9', text: '#744c0e', mark: '#bf8506', glyph: '\u25c6' },
  revoked: { background: '#141e31', text: '#ffffff', mark: '#141e31', glyph: '\u2298' },
  ok: { background: '#e0f4f9', text: '#005e72', mark: '#1e909b', glyph: '\u2713' },
};

const DARK = {
  page: '#091124',
  surface: '#101a2f',
  line: '#334056',
  ink: '#ecf1f5',
  secondary: '#b3bdc9',
  meta: '#909dab',
  primary: '#5ed1de',
  onPrimary: '#091628',
} as const;

const DARK_TONES: Record<Tone, ToneColours> = {
  expired: { background: '#c02f2f', text: '#ffffff', mark: '#c73332' },
  critical: { background: '#4b1a1c', text: '#ffadaa', mark: '#f95e5d' },
  soon: { background: '#3c2a0d', text: '#f8d16f', mark: '#f5be3f' },
  revoked: { background: '#ecf1f5', text: '#101a2f', mark: '#ecf1f5' },
  ok: { background: '#0c2c39', text: '#6ed7e1', mark: '#48b7c1' },
};

/**
 * Style sheet for the dark theme and narrow windows. Mail programs without style sheets show the inline colours. These set both
 * text and background, so that the text stays legible if a program inverts them.
 */
export const MAIL_STYLE = [
  ':root{color-scheme:light dark;supported-color-schemes:light dark}',
  '@media (prefers-color-scheme:dark){',
  `.page{background:${DARK.page}!important}`,
  `.surface{background:${DARK.surface}!important;border-color:${DARK.line}!important}`,
  `.line{border-color:${DARK.line}!important}`,
  `.track{background:${DARK.line}!important}`,
  `.ink{color:${DARK.ink}!important}`,
  `.wall{border-color:${DARK.ink}!important}`,
  `.secondary{color:${DARK.secondary}!important}`,
  `.meta,.meta a{color:${DARK.meta}!important}`,
  `.button{background:${DARK.primary}!important}`,
  `.button a{color:${DARK.onPrimary}!important}`,
  ...Object.entries(DARK_TONES).flatMap(([tone, { background, text, mark }]) => [
    `.badge-${tone}{background:${background}!important;color:${text}!important}`,
    `.mark-${tone}{background:${mark}!important}`,
    `.beyond-${tone}{border-color:${mark}!important}`,
  ]),
  '}',
  // Use less padding and narrower labels in narrow windows, to leave space for the values.
  '@media (max-width:480px){.surface{padding:24px 20px 26px!important}.label{width:100px!important}}',
].join('');
