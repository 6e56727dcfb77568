/**
 * Builds a link to a page with the token that lets its reader act. The token stands behind `#`: browsers send that part to no server, so
 * no log, proxy or Referer header holds it.
 */
export function mailedLink(path: `/${string}`, token: string, publicUrl: URL): string {
  return new URL(`${path}#${token}`, publicUrl).href;
}

/** One value for each of the two places where a mail carries an unsubscribe token; a token works only in its own place. */
export interface UnsubscribePair<Value> {
  /** The link to the unsubscribe page, whose calls take the token in their body. */
  page: Value;
  /** The List-Unsubscribe header. RFC 8058 puts this token in a URL, which proxies and logs may keep, so all it does is unsubscribe by POST. */
  oneClick: Value;
}
