import type { PreviewCheckWire } from '../../../../contract/preview-check.ts';

/** Returns the host to add for the endpoint that was checked. Keeps the typed scheme if it says more than the port. */
export function hostToWatch(
  typed: string,
  { display_name: name, port }: Pick<PreviewCheckWire, 'display_name' | 'port'>,
): string {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(typed.trim())?.[1]?.toLowerCase();
  // For plain HTTP only the port matters, and 443 implies HTTPS.
  if (scheme === undefined || scheme === 'http' || (scheme === 'https' && port === 443)) return name;
  return `${scheme}://${name}${port === 443 ? ':443' : ''}`;
}
