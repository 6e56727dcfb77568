import { daysLeft } from '../../../contract/badge.ts';
import type { DomainWire } from '../../../contract/domain.ts';
import { CSV_START, type CsvCell, csvRecord, oneLine } from '../../core/index.ts';
import type { Monitor } from '../../store/monitors/monitors.ts';
import { domainWire } from '../http/wire.ts';

/** Names that strangers gave are cut to one line; `problem` is why nothing was read, or the worst finding. */
const COLUMNS: Record<string, (domain: DomainWire, now: number) => CsvCell> = {
  host: ({ hostname }) => hostname,
  port: ({ port }) => port,
  state: ({ state }) => state,
  days_left: ({ expiry_date: end }, now) => end && daysLeft(Date.parse(end), now),
  issuer: ({ issuer }) => issuer && oneLine(issuer),
  subject: ({ subject }) => subject && oneLine(subject),
  valid_from: (domain) => domain.valid_from,
  expiry_date: (domain) => domain.expiry_date,
  revocation: ({ revocation }) => revocation.state,
  trusted: (domain) => domain.trusted,
  last_checked_at: (domain) => domain.last_checked_at,
  check_every_minutes: (domain) => domain.check_every_minutes,
  paused: (domain) => domain.paused,
  tags: ({ tags }) => tags.join(', '),
  notes: ({ notes }) => notes,
  problem: ({ unreachable, trusted, findings }) =>
    unreachable?.message ?? (trusted === false ? (findings[0]?.message ?? null) : null),
  // New columns come last: who reads them by their place finds the old ones where they were.
  protocol: ({ protocol }) => protocol,
  uptime: ({ uptime }) => uptime.state,
  down_since: ({ uptime }) => uptime.down_since,
  response_ms: ({ uptime }) => uptime.response_ms,
};

/** The domains as a CSV file, made while they are read. `now` is ms UTC. */
export async function* domainsCsv(
  monitors: AsyncIterable<Monitor>,
  now: number,
): AsyncGenerator<string, void, undefined> {
  yield CSV_START + csvRecord(Object.keys(COLUMNS));
  for await (const monitor of monitors) {
    const domain = domainWire(monitor, { now });
    yield csvRecord(Object.values(COLUMNS).map((cell) => cell(domain, now)));
  }
}
