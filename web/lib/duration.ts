import { MINUTE_MS, HOUR_MS, DAY_MS } from '../../contract/durations.ts';

/** 'less than a minute', '8 min', '2 h 5 min', '3 days 4 h' */
export function durationText(ms: number): string {
  if (ms < MINUTE_MS) return 'less than a minute';
  const days = Math.floor(ms / DAY_MS);
  const hours = Math.floor((ms % DAY_MS) / HOUR_MS);
  const minutes = Math.floor((ms % HOUR_MS) / MINUTE_MS);
  const parts = [
    days > 0 && `${days} ${days === 1 ? 'day' : 'days'}`,
    hours > 0 && `${hours} h`,
    days === 0 && minutes > 0 && `${minutes} min`,
  ];
  return parts.filter((part) => part !== false).join(' ');
}
