import { mailedLink, type UnsubscribePair } from '../../core/index.ts';

/** Builds the link at the end of a mail, for its reader. */
export const unsubscribeLink = ({ page }: UnsubscribePair<string>, publicUrl: URL): string =>
  mailedLink('/unsubscribe', page, publicUrl);

/** Builds the headers for which mail programs show a button: one POST, without a login and without a page (RFC 8058). */
export function unsubscribeHeaders(
  { oneClick }: UnsubscribePair<string>,
  publicUrl: URL,
): Record<string, string> {
  return {
    'List-Unsubscribe': `<${new URL(`/api/unsubscribe/${oneClick}`, publicUrl).href}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  };
}
