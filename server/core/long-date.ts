/** "22 November 2026" in the given zone (IANA name). */
export function longDate(at: number, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone,
    day: 'numeric',
    month: 'long',
    year: 'numeric',
  }).format(at);
}

/** "23 November 2026, 17:41 UTC" */
export function longInstant(at: number): string {
  return `${longDate(at, 'UTC')}, ${new Date(at).toISOString().slice(11, 16)} UTC`;
}
