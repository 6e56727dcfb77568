/** Pattern of a `<link>` tag. It does not allow `<` inside, so that matching reads each character only once. */
const LINK_TAG = /<link([^<>]{0,1000})>/gi;
const MAX_TAGS = 200;
/** Wanted side length in pixels: the size of an icon on a card at about double pixel density. */
const WANTED_SIDE = 32;
/** Penalty for an icon whose `sizes` attribute is missing or names no size. */
const UNKNOWN_SIZE_PENALTY = 100;

/**
 * Returns the https URLs of the icons that a page names, except SVG, the best fitting one first. Does not parse HTML: finds
 * `<link>` tags in the given start of the page and reads four attributes of each.
 */
export function iconLinks(html: string, page: URL): URL[] {
  return Array.from(html.matchAll(LINK_TAG).take(MAX_TAGS))
    .flatMap(([, text = '']) => {
      const attributes = attributesOf(text);
      const isIcon = attributes.get('rel')?.toLowerCase().split(/\s+/).includes('icon');
      const href = (isIcon && attributes.get('href')?.replaceAll('&amp;', '&')) || null;
      const url = href === null ? null : URL.parse(href, page);
      if (url?.protocol !== 'https:') return [];
      const isVector = attributes.get('type')?.includes('svg') || url.pathname.endsWith('.svg');
      return isVector ? [] : [{ url, penalty: sizePenalty(attributes.get('sizes') ?? '') }];
    })
    .toSorted((a, b) => a.penalty - b.penalty)
    .map(({ url }) => url);
}

function attributesOf(text: string): Map<string, string> {
  const found = text.matchAll(/(?<![a-z-])(rel|href|type|sizes)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))/gi);
  return new Map(
    Array.from(found, ([, name = '', double, single, bare]) => [
      name.toLowerCase(),
      (double ?? single ?? bare ?? '').trim(),
    ]),
  );
}

/**
 * Returns 0 for the wanted size, the excess in pixels for larger icons, 100 for an unknown size, and over 9,000 for
 * icons that are too small.
 */
function sizePenalty(sizes: string): number {
  const sides = Array.from(sizes.matchAll(/(\d{1,4})x\d{1,4}/gi), ([, side]) => Number(side));
  if (sides.length === 0) return UNKNOWN_SIZE_PENALTY;
  return Math.min(...sides.map((side) => (side >= WANTED_SIDE ? side - WANTED_SIDE : 10_000 - side)));
}
