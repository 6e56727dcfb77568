import { expect, it } from 'vitest';

import { iconLinks } from '../../server/probe/icons/icon-links.ts';

const page = new URL('https://shop.example/en/');
const links = (html: string): string[] => iconLinks(html, page).map(({ href }) => href);

it.each([
  ['plain', '<link rel="icon" href="/i.png">', ['https://shop.example/i.png']],
  [
    'relative',
    "<LINK REL='shortcut icon' HREF='i.png?a=1&amp;b=2' />",
    ['https://shop.example/en/i.png?a=1&b=2'],
  ],
  ['without quotes', '<link href=//cdn.example/i.png rel=icon>', ['https://cdn.example/i.png']],
  ['broken over lines', '<link\n  rel = "icon"\n  href = " /i.png "\n>', ['https://shop.example/i.png']],
  ['of another kind', '<link rel="stylesheet" href="/a.css"><link rel="apple-touch-icon" href="/t.png">', []],
  ['a vector', '<link rel="icon" href="/i.svg"><link rel="icon" type="image/svg+xml" href="/i">', []],
  [
    'inline, or not over https',
    '<link rel=icon href="data:image/png;base64,AA"><link rel=icon href="http://shop.example/i.png"><link rel=icon href="javascript:alert(1)">',
    [],
  ],
  ['without an address', '<link rel="icon"><link rel="icon" href="">', []],
  ['never closed', '<link rel="icon" href="/i.png"', []],
])('names of a page are read: %s', (_name, html, expected) => {
  expect(links(html)).toEqual(expected);
});

it('the one that suits best comes first', () => {
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

it('a hostile page costs no more than its length', () => {
  const filler = 'a'.repeat(64 * 1024);
  const texts = [
    filler,
    '<link '.repeat(11_000),
    `<link ${filler}>`,
    `<link rel=${' '.repeat(900)}`.repeat(70),
    `<link ${'rel '.repeat(240)}>`.repeat(65),
  ];
  const startedAt = performance.now();
  for (const text of texts) expect(links(text)).toEqual([]);
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});
