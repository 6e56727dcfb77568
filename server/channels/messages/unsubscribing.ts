import { mailedLink, type UnsubscribePair } from '../../core/index.ts';

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
