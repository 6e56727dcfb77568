/** The pages that a login may return to. */
const PROTECTED_PATHS = ['/dashboard', '/profile', '/alerts', '/status-page', '/billing-test'];
// A base for parsing: an address that has another origin after parsing would leave the site.
const NOWHERE = 'http://nowhere.invalid';

/** Returns the address as a path of this origin if it is one of a protected page, else undefined. */
export function returnAddress(address: unknown): string | undefined {
  if (typeof address !== 'string' || !address.startsWith('/') || !URL.canParse(address, NOWHERE))
    return undefined;
  const { origin, pathname, search, hash } = new URL(address, NOWHERE);
  return origin === NOWHERE && PROTECTED_PATHS.includes(pathname) ? `${pathname}${search}${hash}` : undefined;
}
