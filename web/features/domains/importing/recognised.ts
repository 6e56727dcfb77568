import { FORMAT_NAMES, isSkipped } from './parsed-import.ts';
import type { ParsedImport } from './parsed-import.ts';

const NOTHING = 'Lines or lists of hosts, CSV, JSON, or a backup of Uptime Kuma. Up to 10,000 at once.';

/** 'CSV: 12 hosts, 1 line without one' */
export function recognised(parsed: ParsedImport): string {
  if (!parsed.ok || parsed.lines.length === 0) return NOTHING;
  const without = parsed.lines.filter(isSkipped).length;
  const hosts = parsed.lines.length - without;
  const found = `${hosts.toLocaleString('en-GB')} ${hosts === 1 ? 'host' : 'hosts'}`;
  const rest = without === 0 ? '' : `, ${without.toLocaleString('en-GB')} without one`;
  return parsed.format === 'lines' ? `${found}${rest}` : `${FORMAT_NAMES[parsed.format]}: ${found}${rest}`;
}
