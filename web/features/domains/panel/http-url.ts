/** The address if it is one that a link may lead to (http or https), else null: certificates carry what they like. */
export function httpUrl(text: string | null): string | null {
  if (text === null || !URL.canParse(text)) return null;
  const url = new URL(text);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : null;
}
