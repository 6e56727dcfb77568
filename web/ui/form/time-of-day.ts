export const DAY_MINUTES = 24 * 60;

/** Returns the minutes after midnight that '7', '0700', '19.30' or '7:00 pm' means; null if it is not a time of day. */
export function minuteOfDay(text: string): number | null {
  const parts = /^(\d{1,2})(?:[:. ]?(\d{2}))? ?(?:([ap])\.?m?\.?)?$/i.exec(text.trim());
  if (!parts) return null;
  const [, hours = '', minutes = '0', half] = parts;
  const [hour, minute] = [Number(hours), Number(minutes)];
  if (minute > 59) return null;
  if (half === undefined) return hour > 23 ? null : hour * 60 + minute;
  if (hour < 1 || hour > 12) return null;
  return ((hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0)) * 60 + minute;
}

/** Returns '07:00' for 420. */
export function clockText(minute: number): string {
  const two = (figure: number) => String(figure).padStart(2, '0');
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
}
