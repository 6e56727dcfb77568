/**
 * Time zones whose outdated name Intl still returns as canonical, each with its current name in the IANA database (`zone.tab`
 * of 2025b).
 */
const RENAMED: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
};

/** Returns the current name of a time zone: 'Europe/Kyiv' for 'Europe/Kiev'. Intl accepts both names. */
export function currentZoneName<Name extends string | null>(name: Name): Name | string {
  return (name !== null && Object.hasOwn(RENAMED, name) && RENAMED[name]) || name;
}

/**
 * Formats a time as emails show it: "14:32 UTC", or local time and UTC, "15:32 CET (14:32 UTC)". If the dates differ, the UTC time includes
 * its date: "23:30 GMT-5 (23 November, 04:30 UTC)".
 */
export function clockTime(at: number, timeZone: string): string {
  const time = `${hourAndMinute(at, 'UTC')} UTC`;
  if (timeZone === 'UTC') return time;
  const isSameDay = dayAndMonth(at, timeZone) === dayAndMonth(at, 'UTC');
  const utc = isSameDay ? time : `${dayAndMonth(at, 'UTC')}, ${time}`;
  const zoneName = new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'short' })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')?.value;
  return `${hourAndMinute(at, timeZone)} ${zoneName ?? timeZone} (${utc})`;
}

/** Formats a day and time as emails show them: "22 November 2026, 14:32 UTC". */
export function formatInstant(at: number, timeZone: string): string {
  const day = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'long' }).format(at);
  return `${day}, ${clockTime(at, timeZone)}`;
}

function dayAndMonth(at: number, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', { timeZone, day: 'numeric', month: 'long' }).format(at);
}

function hourAndMinute(at: number, timeZone: string): string {
  const form = { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  return new Intl.DateTimeFormat('en-GB', form).format(at);
}
