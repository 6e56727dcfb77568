/** Pages that need a session. A login may return to them. */
export const PROTECTED_PATHS = [
  '/dashboard',
  '/certificates',
  '/deadlines',
  '/profile',
  '/alerts',
  '/status-page',
  '/billing-test',
];

// Base URL for parsing: a URL that then has another origin would leave the site.
const NOWHERE = 'http://nowhere.invalid';

/** Converts a raw parameter to a valid value; undefined if it is not valid. */
type Reader<Value> = (raw: unknown) => Value | undefined;

/**
 * Builds a route's `validateSearch` from one reader per parameter. The result has every key, even with the value undefined:
 * the router merges it over the raw parameters, so a raw value without a key here would pass unvalidated.
 */
export function searchParameters<Search extends object>(readers: {
  [Name in keyof Search]-?: Reader<Search[Name]>;
}): (raw: Record<string, unknown>) => Search {
  const entries = Object.entries<Reader<unknown>>(readers);
  return (raw) => Object.fromEntries(entries.map(([name, read]) => [name, read(raw[name])])) as Search;
}

/** Reads one line of text under the contract's `lineSchema`; empty text counts as absent. */
export function line(maxLength: number): Reader<string> {
  return (raw) => {
    // The router has already parsed numbers and booleans, so convert them back.
    const text = (typeof raw === 'number' || typeof raw === 'boolean' ? String(raw) : raw) ?? '';
    if (typeof text !== 'string' || text.trim() === '' || text.trim().length > maxLength) return undefined;
    return /\p{Cc}/u.test(text.trim()) || !text.isWellFormed() ? undefined : text;
  };
}

/** Reads one of a few values. */
export function oneOf<const Choice>(choices: readonly Choice[]): Reader<Choice> {
  return (raw) => choices.find((choice) => choice === raw);
}

/** Returns the address as a path of this origin if it is a protected page, else undefined. */
export function returnAddress(address: unknown): string | undefined {
  if (typeof address !== 'string' || !address.startsWith('/') || !URL.canParse(address, NOWHERE))
    return undefined;
  const { origin, pathname, search, hash } = new URL(address, NOWHERE);
  return origin === NOWHERE && PROTECTED_PATHS.includes(pathname) ? `${pathname}${search}${hash}` : undefined;
}
