/** Browsers stop nowhere; a page that needs more than this before its icon does without. */
const LONGEST_TAG = 1_000;
const MOST_TAGS = 200;
/** What a card shows, at about twice the density. */
const WANTED_SIDE = 32;
const UNTOLD = 100;

/**
 * Addresses of the icons that a page names, the one that suits best first. A small tolerant reading of its start: no HTML
 * parser, and never more work than the text is long.
 */
export function iconLinks(html: string, page: URL): URL[] {
  return linkTags(html)
    .flatMap((attributes) => {
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

function linkTags(html: string): Map<string, string>[] {
  const tags: Map<string, string>[] = [];
  const lower = html.toLowerCase();
  for (
    let at = lower.indexOf('<link');
    at !== -1 && tags.length < MOST_TAGS;
    at = lower.indexOf('<link', at + 5)
  ) {
    const end = lower.indexOf('>', at);
    if (end === -1) break;
    if (end - at <= LONGEST_TAG) tags.push(attributesOf(html.slice(at + 5, end)));
  }
  return tags;
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
