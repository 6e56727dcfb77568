/** The pages that a login may lead back to. */
const PROTECTED_PATHS = ['/dashboard', '/profile', '/alerts', '/status-page', '/billing-test'];
// Nowhere near: only there to have relative addresses parsed.
const NOWHERE = 'http://nowhere.invalid';

/** The address as a path of this origin if it is one of a protected page; anything else is none. */
export function returnAddress(address: unknown): string | undefined {
  if (typeof address !== 'string' || !address.startsWith('/') || !URL.canParse(address, NOWHERE))
    return undefined;
  const { origin, pathname, search, hash } = new URL(address, NOWHERE);
  return origin === NOWHERE && PROTECTED_PATHS.includes(pathname) ? `${pathname}${search}${hash}` : undefined;
}
