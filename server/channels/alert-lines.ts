import { shortLine } from '../core/index.ts';
import type { AlertContent } from './messages/index.ts';

/** An alert as short lines of plain text: no control, format or line-breaking characters, whoever wrote them. */
export interface AlertLines {
  subject: string;
  heading: string;
  paragraphs: string[];
  facts: { label: string; value: string }[];
  link: { label: string; url: string };
  tone: AlertTone;
  /** The host that it is about, else the product's own. */
  host: string;
}

export type AlertTone = 'critical' | 'warning' | 'good';

const LONGEST_SENTENCE = 300;
const LONGEST_PARAGRAPH = 700;
const MOST_PARAGRAPHS = 6;
const LONGEST_HOST = 255;
const LONGEST_LABEL = 60;
const LONGEST_VALUE = 300;
const MOST_FACTS = 10;

/** What every channel puts into its own form, within bounds that all of them can hold. */
export function alertLines(content: AlertContent): AlertLines {
  const { heading, paragraphs, button, severity, resolves } = content;
  const sentence = typeof heading === 'string' ? heading : `${heading.before}${heading.host}${heading.after}`;
  const url = new URL(button.url);
  return {
    subject: shortLine(content.subject, LONGEST_SENTENCE),
    heading: shortLine(sentence, LONGEST_SENTENCE),
    paragraphs: paragraphs.slice(0, MOST_PARAGRAPHS).map((text) => shortLine(text, LONGEST_PARAGRAPH)),
    facts: factLines(content.facts).slice(0, MOST_FACTS),
    link: { label: shortLine(button.label, LONGEST_LABEL), url: url.href },
    host: typeof heading === 'string' ? url.host : shortLine(heading.host, LONGEST_HOST),
    tone: resolves || severity === 'info' ? 'good' : severity,
  };
}

/** A fact without a label goes on from the one above; here they share a line. */
function factLines(facts: AlertContent['facts']): AlertLines['facts'] {
  const lines: AlertLines['facts'] = [];
  for (const fact of facts) {
    const label = shortLine(fact.label, LONGEST_LABEL);
    const above = lines.at(-1);
    if (label === '' && above !== undefined)
      above.value = shortLine(`${above.value} · ${fact.value}`, LONGEST_VALUE);
    else lines.push({ label, value: shortLine(fact.value, LONGEST_VALUE) });
  }
  return lines;
}

/** The text with each of its characters made harmless, at most `length` UTF-16 units long; an ellipsis where it was cut. */
export function escapedWithin(text: string, length: number, escape: (character: string) => string): string {
  let escaped = '';
  let cut = '';
  for (const character of text) {
    escaped += escape(character);
    if (escaped.length > length) return `${cut}…`;
    if (escaped.length < length) cut = escaped;
  }
  return escaped;
}

/** As many pieces from the start as fit together, each counted with one character that parts it from the next. */
export function fitting(
  pieces: readonly string[],
  room: number,
  sizeOf: (piece: string) => number,
): string[] {
  let left = room;
  return pieces.filter((piece) => {
    left -= sizeOf(piece) + 1;
    return left >= 0;
  });
}
