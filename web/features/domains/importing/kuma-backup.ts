import { hostLine, isFields, shownValue, skipped, textOf, withPort } from './parsed-import.ts';
import type { Fields, ParsedLine } from './parsed-import.ts';

/** What kinds of monitor of Uptime Kuma have no endpoint with a certificate of their own. */
const WITHOUT_HOST: Record<string, string> = {
  group: 'A group, not a host',
  push: 'A push monitor waits for calls and has no host',
  manual: 'A manual monitor has no host',
  docker: 'A Docker container has no host',
  steam: 'A game server has no certificate',
  gamedig: 'A game server has no certificate',
  radius: 'RADIUS has no certificate to read',
  snmp: 'SNMP has no certificate to read',
  sqlserver: 'A database is reached by a connection string, not by TLS on its port',
  mongodb: 'A database is reached by a connection string, not by TLS on its port',
  redis: 'A database is reached by a connection string, not by TLS on its port',
  'kafka-producer': 'A list of Kafka brokers, not one host',
  rabbitmq: 'A list of RabbitMQ nodes, not one host',
};
/** Of these kinds, `port` is the port that is watched; elsewhere it may be a name server's, or left from another kind. */
const WITH_PORT = new Set(['port', 'mqtt', 'smtp']);

/** The monitors of a backup (the JSON that Settings → Backup of version 1 hands out), or null where it is none. */
export function kumaMonitors(json: unknown): unknown[] | null {
  if (!isFields(json)) return null;
  const list = json['monitorList'];
  // An answer of its API has them by their ids.
  if (isFields(list)) return Object.values(list);
  return Array.isArray(list) ? (list as unknown[]) : null;
}

/** What becomes of the monitor at `line`, which counts from 1 in the order of the backup. */
export function kumaLine(monitor: unknown, line: number): ParsedLine {
  if (!isFields(monitor)) return skipped(line, shownValue(monitor), 'Not a monitor');
  const name = textOf(monitor['name']);
  const type = textOf(monitor['type']);
  const reason = WITHOUT_HOST[type];
  if (reason !== undefined) return skipped(line, name, reason);
  const host = hostOf(monitor, type);
  if (host === '') return skipped(line, name, 'No host in it');
  const description = textOf(monitor['description']);
  return hostLine(line, host, {
    tags: tagsOf(monitor['tags']),
    notes: [name === host ? '' : name, description].filter((text) => text !== '').join('\n'),
    remark: isActive(monitor['active']) ? null : 'Paused in Uptime Kuma, checked here',
  });
}

function hostOf(monitor: Fields, type: string): string {
  if (type === 'postgres' || type === 'mysql')
    return databaseHost(type, textOf(monitor['databaseConnectionString']));
  const url = textOf(monitor['url']).replace(/^ws(s?):\/\//i, 'http$1://');
  const hostname = textOf(monitor['hostname']);
  const grpc = textOf(monitor['grpcUrl']);
  if (type === 'grpc-keyword' && grpc !== '') return grpc;
  // The form begins with 'https://' for every kind, and keeps it for those that have no address.
  const hasUrl = /^https?:\/\/./i.test(url);
  const isByName = WITH_PORT.has(type) || type === 'ping' || type === 'dns' || type === 'tailscale-ping';
  if (hasUrl && !(isByName && hostname !== '')) return url;
  const port = Number(monitor['port']);
  const hasPort = WITH_PORT.has(type) && Number.isInteger(port) && port > 0;
  const place = hasPort && hostname !== '' ? withPort(hostname, String(port)) : hostname;
  if (type !== 'smtp' || place === '') return place;
  return `${textOf(monitor['smtpSecurity']) === 'secure' ? 'smtps' : 'smtp'}://${place}`;
}

/** The host and port of a connection string, and nothing else of it: it holds a password. */
function databaseHost(type: 'postgres' | 'mysql', connection: string): string {
  const host = /^(?:postgres|postgresql|mysql|mariadb):\/\//i.test(connection) && URL.parse(connection)?.host;
  return host ? `${type}://${host}` : '';
}

/** A tag of Uptime Kuma may have a value beside its name: 'env: prod'. */
function tagsOf(tags: unknown): string[] {
  if (!Array.isArray(tags)) return [];
  return tags
    .filter(isFields)
    .map((tag) => [textOf(tag['name']), textOf(tag['value'])].filter((text) => text !== '').join(': '))
    .filter((tag) => tag !== '');
}

const isActive = (active: unknown): boolean => active !== false && active !== 0;
