import { expect, it, vi } from 'vitest';
import { iconLinks } from '../../server/probe/icons/icon-links.ts';

const page = new URL('https://shop.example/en/');
const links = (html: string): string[] => iconLinks(html, page).map(({ href }) => href);

it.each([
  ['a plain link is found', '<link rel="icon" href="/i.png">', ['https://shop.example/i.png']],
  [
    'a relative link is found',
    "<LINK REL='shortcut icon' HREF='i.png?a=1&amp;b=2' />",
    ['https://shop.example/en/i.png?a=1&b=2'],
  ],
  [
    'a link without quotes is found',
    '<link href=//cdn.example/i.png rel=icon>',
    ['https://cdn.example/i.png'],
  ],
  [
    'a link over several lines is found',
    '<link\n  rel = "icon"\n  href = " /i.png "\n>',
    ['https://shop.example/i.png'],
  ],
  [
    'links of other kinds are ignored',
    '<link rel="stylesheet" href="/a.css"><link rel="apple-touch-icon" href="/t.png">',
    [],
  ],
  [
    'an SVG icon is ignored',
    '<link rel="icon" href="/i.svg"><link rel="icon" type="image/svg+xml" href="/i">',
    [],
  ],
  [
    'an icon that is inline or not over https is ignored',
    '<link rel=icon href="data:image/png;base64,AA"><link rel=icon href="http://shop.example/i.png"><link rel=icon href="javascript:alert(1)">',
    [],
  ],
  ['a link without href is ignored', '<link rel="icon"><link rel="icon" href="">', []],
  ['a tag that is never closed is ignored', '<link rel="icon" href="/i.png"', []],
])('Among the icon links of a page, %s', (_name, html, expected) => {
  expect(links(html)).toEqual(expected);
});

it('The best-suited icon size comes first', () => {
  const sized = ['16x16', '180x180', '', '48x48', '32x32'].map(
    (sizes) => `<link rel=icon sizes="${sizes}" href=/${sizes || 'untold'}.png>`,
  );
  expect(links(sized.join('')).map((href) => href.slice(21))).toEqual([
    '32x32.png',
    '48x48.png',
    'untold.png',
    '180x180.png',
    '16x16.png',
  ]);
});

it('Icon links are found after malformed tags and after text that lower case makes longer', () => {
  expect(links('<link <link rel=icon href=/i.png>')).toEqual(['https://shop.example/i.png']);
  // In lower case this letter is two characters long.
  expect(links(`${'İ'.repeat(9)}<link rel=icon href=/i.png>`)).toEqual(['https://shop.example/i.png']);
});

it('A hostile page is searched in linear time', () => {
  const indexOf: (this: string, text: string, from: number) => number = Reflect.get(
    String.prototype,
    'indexOf',
  );
  let steps = 0;
  const spy = vi.spyOn(String.prototype, 'indexOf').mockImplementation(function (
    this: string,
    text,
    from = 0,
  ) {
    const found = indexOf.call(this, text, from);
    steps += (found === -1 ? this.length : found) - from;
    return found;
  });
  const filler = 'a'.repeat(64 * 1024);
  const texts = [
    filler,
    '<link '.repeat(11_000),
    `${'<link '.repeat(11_000)}${' '.repeat(1_000)}>`,
    `<link ${filler}>`,
    `<link rel=${' '.repeat(900)}`.repeat(70),
    `<link ${'rel '.repeat(240)}>`.repeat(65),
  ];
  for (const text of texts) expect(links(text)).toEqual([]);
  spy.mockRestore();
  expect(steps).toBeLessThan(4 * texts.join('').length);
});
