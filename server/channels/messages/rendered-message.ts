import { type DrawnMail, mailLayout } from './mail-layout.ts';
import { mailedLink, type UnsubscribePair } from '../../core/account-mail.ts';

/** A mail as plain text and HTML. Its words are true at the time of rendering. */
export interface RenderedMessage {
  subject: string;
  preheader: string;
  html: string;
  text: string;
  /** Address for replies. Default: the sender. */
  replyTo?: string;
  headers?: Record<string, string>;
}

/** Renders the HTML and plain text parts of a mail. */
export function renderMail(drawn: DrawnMail): RenderedMessage {
  const { title: subject, preheader } = drawn;
  return { subject, preheader, html: mailLayout(drawn), text: plainText(drawn) };
}

/** Renders the plain text part. Omits the preheader, product name, badge and lifetime bar of the HTML. */
function plainText({
  heading,
  paragraphs,
  bullets,
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
    ...(bullets === undefined ? [] : [bulletText(bullets)]),
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

/** Returns a bullet list as plain text, with its introducing sentence. */
function bulletText({ lead, items }: NonNullable<DrawnMail['bullets']>): string {
  return [lead, ...items.map((item) => `- ${item}`)].join('\n');
}

/** Builds the unsubscribe link at the end of a mail. */
export const unsubscribeLink = ({ page }: UnsubscribePair<string>, publicUrl: URL): string =>
  mailedLink('/unsubscribe', page, publicUrl);

/** Builds the headers for the unsubscribe button of mail programs: one POST without a login (RFC 8058). */
export function unsubscribeHeaders(
  { oneClick }: UnsubscribePair<string>,
  publicUrl: URL,
): Record<string, string> {
  return {
    'List-Unsubscribe': `<${new URL(`/api/unsubscribe/${oneClick}`, publicUrl).href}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  };
}
