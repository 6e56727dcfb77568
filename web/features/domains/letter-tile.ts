/** White text on each reaches 4.5:1. */
const TILE_COLOURS = ['#a63d57', '#8a5a2b', '#0b6e4f', '#a8481a', '#1f4e8c', '#5a4a9c', '#7a3b8f', '#3f5a66'];

/**
 * The stand-in for a favicon: the first letter or digit of the name, on a colour that is the same for all names
 * of one registered domain (taken as the last two labels; it is only a colour).
 */
export function letterTile(hostname: string): { letter: string; colour: string } {
  const letter = /[\p{L}\p{N}]/u.exec(hostname)?.[0].toUpperCase() ?? '?';
  let hash = 0;
  for (const character of hostname.split('.').slice(-2).join('.')) {
    hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  }
  return { letter, colour: TILE_COLOURS[hash % TILE_COLOURS.length] ?? '#3f5a66' };
}
