import { expect, it } from 'vitest';
import { htmlSnippet, markdownSnippet } from './badge-snippets.ts';

const URL = 'https://certs.example/badge/AAAA.svg';

it('creates Markdown and HTML for the badge', () => {
  expect(markdownSnippet(URL, 'shop.example')).toBe(`![Certificate of shop.example](${URL})`);
  expect(htmlSnippet(URL, 'shop.example')).toBe(
    `<img src="${URL}" alt="Certificate of shop.example" height="20">`,
  );
});

it('escapes the brackets of an IPv6 address', () => {
  expect(markdownSnippet(URL, '[2001:db8::1]')).toBe(
    String.raw`![Certificate of \[2001:db8::1\]](https://certs.example/badge/AAAA.svg)`,
  );
});
