/** Milliseconds in a second, a minute, an hour, a day (24 hours) and a week. Every folder may import this file. */
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
export const WEEK_MS = 604_800_000;
