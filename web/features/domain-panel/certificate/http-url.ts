/** Returns the URL if a link may open it (http or https), else null: certificates can contain any text. */
export function httpUrl(text: string | null): string | null {
  if (text === null || !URL.canParse(text)) return null;
  const url = new URL(text);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : null;
}
