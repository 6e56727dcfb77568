import { expect, it } from 'vitest';
import { htmlSnippet, markdownSnippet } from './badge-snippets.ts';

const URL = 'https://certs.example/badge/AAAA.svg';

it('the badge snippets embed the badge in Markdown and in HTML', () => {
  expect(markdownSnippet(URL, 'shop.example')).toBe(`![Certificate of shop.example](${URL})`);
  expect(htmlSnippet(URL, 'shop.example')).toBe(
    `<img src="${URL}" alt="Certificate of shop.example" height="20">`,
  );
});

it('the Markdown badge snippet escapes the brackets of an IPv6 address', () => {
  expect(markdownSnippet(URL, '[2001:db8::1]')).toBe(
    String.raw`![Certificate of \[2001:db8::1\]](https://certs.example/badge/AAAA.svg)`,
  );
});
