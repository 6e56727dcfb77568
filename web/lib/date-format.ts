/** Writes instants (ms UTC) in English. What writes them is made at the first use: each costs a browser milliseconds. */
export function dateFormat(options: Intl.DateTimeFormatOptions): (instant: number) => string {
  let format: Intl.DateTimeFormat | undefined;
  return (instant) => (format ??= new Intl.DateTimeFormat('en-GB', options)).format(instant);
}
