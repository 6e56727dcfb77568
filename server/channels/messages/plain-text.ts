import type { DrawnMail } from './mail-layout.ts';

/** The text part: what the layout draws, for who reads without. */
export function plainText({
  heading,
  paragraphs,
  quote,
  facts,
  lists,
  button,
  footer,
  links,
}: DrawnMail): string {
  const width = Math.max(0, ...facts.map(({ label }) => label.length)) + 2;
  const name = (label: string) => (label === '' ? '' : `${label}:`).padEnd(width);
  return [
    typeof heading === 'string' ? heading : `${heading.before}${heading.host}${heading.after}`,
    ...paragraphs,
    ...(quote === undefined ? [] : [quote]),
    ...(facts.length === 0 ? [] : [facts.map(({ label, value }) => `${name(label)}${value}`).join('\n')]),
    ...(lists ?? []).map(({ heading: about, items, more }) =>
      [
        `${about}:`,
        ...items.map((item) => `- ${item.name}: ${item.detail}`),
        ...(more > 0 ? [`  and ${more} more`] : []),
      ].join('\n'),
    ),
    `${button.label}:\n${button.url}`,
    `-- \n${[footer, ...(links ?? []).map(({ label, url }) => `${label}: ${url}`)].join('\n')}`,
    '',
  ].join('\n\n');
}
