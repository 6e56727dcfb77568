const altOf = (name: string) => `Certificate of ${name}`;

/** Returns Markdown for a README. In host names, only the `[ ]` of an IPv6 address and `_` need escaping. */
export function markdownSnippet(url: string, name: string): string {
  return `![${altOf(name).replaceAll(/[[\]_*\\]/g, String.raw`\$&`)}](${url})`;
}

export function htmlSnippet(url: string, name: string): string {
  const alt = altOf(name).replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return `<img src="${url}" alt="${alt}" height="20">`;
}
