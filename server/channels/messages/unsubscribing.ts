/** Where people leave off mail, and where mail programs do it for them with one click (RFC 8058). */
export interface UnsubscribeLinks {
  page: URL;
  oneClick: URL;
}

/** The two addresses of a token. */
export function unsubscribeLinks(token: string, publicUrl: URL): UnsubscribeLinks {
  const page = new URL('/unsubscribe', publicUrl);
  page.searchParams.set('token', token);
  return { page, oneClick: new URL(`/api/unsubscribe/${encodeURIComponent(token)}`, publicUrl) };
}

/** What mail programs show a button for: one POST, without a login and without a page. */
export function unsubscribeHeaders({ oneClick }: UnsubscribeLinks): Record<string, string> {
  return {
    'List-Unsubscribe': `<${oneClick.href}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  };
}
