import { hostLine, isJsonObject, shownValue, skipped, textOf, withPort } from './parsed-import.ts';
import type { JsonObject, ParsedLine } from './parsed-import.ts';

/** Kinds of Uptime Kuma monitors without a TLS endpoint of their own. */
const WITHOUT_HOST: Record<string, string> = {
  group: 'A group, not a host',
  push: 'A push monitor waits for calls and has no host',
  manual: 'A manual monitor has no host',
  docker: 'A Docker container has no host',
  steam: 'A game server has no certificate',
  gamedig: 'A game server has no certificate',
  radius: 'RADIUS has no certificate to read',
  snmp: 'SNMP has no certificate to read',
  sqlserver: 'We cannot check certificates of this kind of database',
  mongodb: 'We cannot check certificates of this kind of database',
  redis: 'We cannot check certificates of this kind of database',
  'kafka-producer': 'A list of Kafka brokers, not one host',
  rabbitmq: 'A list of RabbitMQ nodes, not one host',
};
/** Kinds whose `port` is the watched port; in others it may be a name server's, or a leftover. */
const WITH_PORT = new Set(['port', 'mqtt', 'smtp']);

/** Returns the monitors of a backup (JSON of Settings → Backup in version 1), or null if it is not one. */
export function kumaMonitors(json: unknown): unknown[] | null {
  if (!isJsonObject(json)) return null;
  const list = json['monitorList'];
  // The API returns monitors keyed by id.
  if (isJsonObject(list)) return Object.values(list);
  return Array.isArray(list) ? (list as unknown[]) : null;
}

/** Parses the monitor at `line`, which counts from 1 in the order of the backup. */
export function kumaLine(monitor: unknown, line: number): ParsedLine {
  if (!isJsonObject(monitor)) return skipped(line, shownValue(monitor), 'Not a monitor');
  const name = textOf(monitor['name']);
  const type = textOf(monitor['type']);
  const reason = WITHOUT_HOST[type];
  if (reason !== undefined) return skipped(line, name, reason);
  const host = hostOf(monitor, type);
  if (host === '') return skipped(line, name, 'No host');
  const description = textOf(monitor['description']);
  return hostLine(line, host, {
    tags: tagsOf(monitor['tags']),
    notes: [name === host ? '' : name, description].filter((text) => text !== '').join('\n'),
    remark: isActive(monitor['active']) ? null : 'Paused in Uptime Kuma, but checked here',
  });
}

function hostOf(monitor: JsonObject, type: string): string {
  if (type === 'postgres' || type === 'mysql')
    return databaseHost(type, textOf(monitor['databaseConnectionString']));
  const url = textOf(monitor['url']).replace(/^ws(s?):\/\//i, 'http$1://');
  const hostname = textOf(monitor['hostname']);
  const grpc = textOf(monitor['grpcUrl']);
  if (type === 'grpc-keyword' && grpc !== '') return grpc;
  // The form starts with 'https://' for every kind, and keeps it for kinds without an address.
  const hasUrl = /^https?:\/\/./i.test(url);
  const isByName = WITH_PORT.has(type) || type === 'ping' || type === 'dns' || type === 'tailscale-ping';
  if (hasUrl && !(isByName && hostname !== '')) return url;
  const port = Number(monitor['port']);
  const hasPort = WITH_PORT.has(type) && Number.isInteger(port) && port > 0;
  const place = hasPort && hostname !== '' ? withPort(hostname, String(port)) : hostname;
  if (type !== 'smtp' || place === '') return place;
  return `${textOf(monitor['smtpSecurity']) === 'secure' ? 'smtps' : 'smtp'}://${place}`;
}

/** Returns only the host and port of a connection string, which also holds a password. */
function databaseHost(type: 'postgres' | 'mysql', connection: string): string {
  const host = /^(?:postgres|postgresql|mysql|mariadb):\/\//i.test(connection) && URL.parse(connection)?.host;
  return host ? `${type}://${host}` : '';
}

/** Returns the tags as text. An Uptime Kuma tag may have a value besides its name: 'env: prod'. */
function tagsOf(tags: unknown): string[] {
  if (!Array.isArray(tags)) return [];
  return tags
    .filter(isJsonObject)
    .map((tag) => [textOf(tag['name']), textOf(tag['value'])].filter((text) => text !== '').join(': '))
    .filter((tag) => tag !== '');
}

const isActive = (active: unknown): boolean => active !== false && active !== 0;
