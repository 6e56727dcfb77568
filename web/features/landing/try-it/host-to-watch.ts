import type { PreviewCheckWire } from '../../../../contract/preview-check.ts';

/** What leads to the same endpoint when it is added: its name for people, with the scheme that was typed where that says more. */
export function hostToWatch(
  typed: string,
  { display_name: name, port }: Pick<PreviewCheckWire, 'display_name' | 'port'>,
): string {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(typed.trim())?.[1]?.toLowerCase();
  // Of plain HTTP the port alone decides, and HTTPS is what 443 stands for.
  if (scheme === undefined || scheme === 'http' || (scheme === 'https' && port === 443)) return name;
  return `${scheme}://${name}${port === 443 ? ':443' : ''}`;
}
