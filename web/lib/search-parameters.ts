/** Turns what the router parsed from an address into a value that the page can use; undefined for anything else. */
type Reader<Value> = (raw: unknown) => Value | undefined;

/**
 * Builds a route's `validateSearch` from a reader per parameter. The result names every parameter, as undefined where the address has no
 * valid one: the router merges the result over the raw parameters, so a name left out would reach the page unchecked.
 */
export function searchParameters<Search extends object>(readers: {
  [Name in keyof Search]-?: Reader<Search[Name]>;
}): (raw: Record<string, unknown>) => Search {
  const entries = Object.entries(readers) as [string, Reader<unknown>][];
  return (raw) => Object.fromEntries(entries.map(([name, read]) => [name, read(raw[name])])) as Search;
}

/** Reads one line of text, under the rules of the contract's `lineSchema`; empty text counts as none. */
export function line(maxLength: number): Reader<string> {
  return (raw) => {
    // The router parses what looks like a number or a boolean.
    const text = (typeof raw === 'number' || typeof raw === 'boolean' ? String(raw) : raw) ?? '';
    if (typeof text !== 'string' || text.trim() === '' || text.trim().length > maxLength) return undefined;
    return /\p{Cc}/u.test(text.trim()) || !text.isWellFormed() ? undefined : text;
  };
}

/** Reads one of a few values. */
export function oneOf<const Choice>(choices: readonly Choice[]): Reader<Choice> {
  return (raw) => choices.find((choice) => choice === raw);
}
