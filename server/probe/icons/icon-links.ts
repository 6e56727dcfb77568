/** A tag ends before the next one begins, so that each character is read once. */
const LINK_TAG = /<link([^<>]{0,1000})>/gi;
const MOST_TAGS = 200;
/** What a card shows, at about twice the density. */
const WANTED_SIDE = 32;
const UNTOLD = 100;

/**
 * Returns the addresses of the icons that a page names, the one that suits best first. It is no HTML parser: it finds `<link>` tags
 * in the given start of the page and reads four attributes of each.
 */
export function iconLinks(html: string, page: URL): URL[] {
  return Array.from(html.matchAll(LINK_TAG).take(MOST_TAGS))
    .flatMap(([, text = '']) => {
      const attributes = attributesOf(text);
      const isIcon = attributes.get('rel')?.toLowerCase().split(/\s+/).includes('icon');
      const href = (isIcon && attributes.get('href')?.replaceAll('&amp;', '&')) || null;
      const url = href === null ? null : URL.parse(href, page);
      if (url?.protocol !== 'https:') return [];
      const isVector = attributes.get('type')?.includes('svg') || url.pathname.endsWith('.svg');
      return isVector ? [] : [{ url, unfit: unfitness(attributes.get('sizes') ?? '') }];
    })
    .toSorted((a, b) => a.unfit - b.unfit)
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

/** 0 for the wanted size; larger ones come after it, what tells no size after small ones of these, too small ones last. */
function unfitness(sizes: string): number {
  const sides = Array.from(sizes.matchAll(/(\d{1,4})x\d{1,4}/gi), ([, side]) => Number(side));
  if (sides.length === 0) return UNTOLD;
  return Math.min(...sides.map((side) => (side >= WANTED_SIDE ? side - WANTED_SIDE : 10_000 - side)));
}
