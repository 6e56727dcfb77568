import { factsOf, portsOf, type Protocol, PROTOCOL_NAMES } from '../../../contract/protocols.ts';
import {
  hostLine,
  type HostLine,
  isJsonObject,
  type JsonObject,
  type ParsedLine,
  shownValue,
  skippedLine,
  textOf,
  withPort,
} from './parsed-import.ts';

/** Kinds of Uptime Kuma monitors for which there is no certificate to check. */
const WITHOUT_CERTIFICATE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    group: 'A group, not a host',
    push: 'A push monitor waits for calls and has no host',
    manual: 'A manual monitor has no host',
    docker: 'A Docker container has no host',
    'system-service': 'A service of the system has no host',
    pm2: 'A process of PM2 has no host',
    ping: 'Ping uses no certificate',
    'tailscale-ping': 'Ping uses no certificate',
    dns: 'A DNS query uses no certificate',
    ntp: 'NTP uses no certificate',
    'sip-options': 'We cannot check certificates of SIP',
    steam: 'A game server has no certificate',
    gamedig: 'A game server has no certificate',
    radius: 'RADIUS has no certificate to read',
    snmp: 'SNMP has no certificate to read',
    sqlserver: 'We cannot check certificates of this kind of database',
  }),
);

/** The hosts to check for a monitor, or why it cannot be checked here. */
type Place = { hosts: string[]; remark?: string; status?: string } | { reason: string };

/** For each kind of monitor, reads the hosts from its fields, under the names of Uptime Kuma’s backup and API. */
const PLACES: ReadonlyMap<string, (monitor: JsonObject) => Place> = new Map(
  Object.entries({
    http: webPlace,
    keyword: webPlace,
    'json-query': webPlace,
    'real-browser': webPlace,
    // Ignores the accepted status codes: for this kind they are close codes of WebSocket.
    'websocket-upgrade': (monitor) => webPlaces([textOf(monitor['url'])]),
    globalping: (monitor) =>
      monitor['subtype'] === 'http'
        ? webPlace(monitor)
        : { reason: 'Ping and DNS queries use no certificate' },
    port: portPlace,
    smtp: smtpPlace,
    mqtt: mqttPlace,
    'grpc-keyword': grpcPlace,
    postgres: (monitor) => databasePlace('postgres', monitor),
    mysql: (monitor) => databasePlace('mysql', monitor),
    redis: (monitor) => connectionPlace(monitor, 6379, ({ scheme }) => scheme === 'rediss'),
    oracledb: (monitor) => connectionPlace(monitor, 2484, ({ scheme }) => scheme === 'tcps'),
    mongodb: (monitor) =>
      connectionPlace(
        monitor,
        27_017,
        ({ query }) => query.get('tls') === 'true' || query.get('ssl') === 'true',
      ),
    'kafka-producer': (monitor) =>
      isOn(monitor['kafkaProducerSsl'])
        ? { hosts: textsOf(monitor['kafkaProducerBrokers']).map((host) => `tls://${withPort(host, '9092')}`) }
        : { reason: WITHOUT_TLS },
    rabbitmq: (monitor) => webPlaces(textsOf(monitor['rabbitmqNodes'])),
  } satisfies Record<string, (monitor: JsonObject) => Place>),
);

/** Checks that Uptime Kuma makes for these kinds and that we do not make. */
const NOT_DONE: ReadonlyMap<string, string> = new Map([
  ['keyword', 'The keyword is not looked for here'],
  ['json-query', 'The JSON query is not evaluated here'],
  ['websocket-upgrade', 'Only HTTPS is checked here, without a WebSocket connection'],
  ['grpc-keyword', 'Only TLS is checked here, without a gRPC call'],
]);

const WITHOUT_TLS = 'It connects without TLS, so that there is no certificate';

/** Returns the monitors of a backup (JSON from Settings → Backup in version 1), or null if the JSON is no backup. */
export function kumaMonitors(json: unknown): unknown[] | null {
  if (!isJsonObject(json)) return null;
  const list = json['monitorList'];
  // The API returns monitors keyed by id.
  if (isJsonObject(list)) return Object.values(list);
  return Array.isArray(list) ? (list as unknown[]) : null;
}

/**
 * Parses the monitor at `line`, which counts from 1 in the order of the backup. Returns one line for each of its hosts,
 * without passwords, or one line that says why the monitor cannot be imported.
 */
export function kumaLines(monitor: unknown, line: number): ParsedLine[] {
  if (!isJsonObject(monitor)) return [skippedLine(line, shownValue(monitor), 'Not a monitor')];
  const name = textOf(monitor['name']);
  const place = placeOf(monitor);
  if ('reason' in place) return [skippedLine(line, name, `Cannot be carried over. ${place.reason}`)];
  const hosts = place.hosts.filter((host) => host !== '');
  if (hosts.length === 0) return [skippedLine(line, name, 'Cannot be carried over. It has no host')];
  const description = textOf(monitor['description']);
  const remarks = [
    place.remark,
    NOT_DONE.get(textOf(monitor['type'])),
    isOff(monitor['active']) && 'Paused in Uptime Kuma, but checked here',
    isOn(monitor['ignoreTls']) && 'Uptime Kuma ignores faults of this certificate, which are reported here',
  ].filter((remark) => typeof remark === 'string');
  const target: HostLine['target'] = {
    ...(place.status !== undefined && { expected_status: place.status }),
    ...(/^ipv[46]$/.test(textOf(monitor['ipFamily'])) && { family: textOf(monitor['ipFamily']).slice(-1) }),
  };
  return hosts.map((host) =>
    hostLine(line, host, {
      tags: tagsOf(monitor['tags']),
      notes: [name === host ? '' : name, description].filter((text) => text !== '').join('\n'),
      remark: remarks.length === 0 ? null : remarks.join('. '),
      target,
    }),
  );
}

function placeOf(monitor: JsonObject): Place {
  const type = textOf(monitor['type']);
  const reason = WITHOUT_CERTIFICATE.get(type);
  if (reason !== undefined) return { reason };
  const find = PLACES.get(type);
  if (find === undefined) return { reason: `We do not know this kind of monitor: ${type.slice(0, 40)}` };
  return isOn(monitor['upsideDown']) ? { reason: 'Upside Down Mode is not supported' } : find(monitor);
}

function webPlace(monitor: JsonObject): Place {
  const url = textOf(monitor['url']);
  const place = webPlaces([url]);
  const status = statusOf(monitor);
  if ('reason' in place || status === null) return place;
  // We only check the status of the page at /.
  const isRoot = /^[a-z]+:\/\/[^/?#]*\/?$/i.test(url);
  if (isRoot && isPlainRequest(monitor)) return { ...place, status };
  // The user did not choose the default, so dropping it needs no remark.
  if (!isRoot && isDefault(acceptedIn(monitor))) return place;
  const reason = isRoot
    ? 'the page is requested without sign-in here, by GET'
    : 'the page at / is checked here';
  const remark = `Its accepted statuses are not carried over, because ${reason}`;
  return { ...place, remark: [place.remark, remark].filter(Boolean).join('. ') };
}

/** Tells whether a monitor sends the same request as we do. A monitor with a password, for example, gets another status. */
function isPlainRequest(monitor: JsonObject): boolean {
  const own = ['authMethod', 'headers', 'body'].some((field) => textOf(monitor[field]) !== '');
  const hasPassword = /^[a-z]+:\/\/[^/?#]*@/i.test(textOf(monitor['url']));
  return !own && !hasPassword && /^(?:GET|HEAD)?$/i.test(textOf(monitor['method']));
}

/** Kinds of monitors that follow redirects and always compare the status. Their default statuses are imported too. */
const PAGE_KINDS = new Set(['http', 'keyword', 'json-query']);

/**
 * Returns the statuses that count as up, or null if the monitor has none. Adds redirects, because Uptime Kuma follows them
 * and we do not.
 */
function statusOf(monitor: JsonObject): string | null {
  const accepted = acceptedIn(monitor);
  if (accepted.length === 0) return null;
  if (isDefault(accepted) && !PAGE_KINDS.has(textOf(monitor['type']))) return null;
  const redirects =
    Number(monitor['maxredirects'] ?? 0) > 0 && !accepted.some((each) => each.startsWith('3'));
  return mergedRanges([...accepted, ...(redirects ? ['300-399'] : [])]);
}

const acceptedIn = (monitor: JsonObject): string[] =>
  textsOf(monitor['accepted_statuscodes']).filter(isStatusRange);
const isDefault = (accepted: readonly string[]): boolean => accepted.join() === '200-299';

/** Tells whether the text is a status or a range from 100 to 999. Uptime Kuma also offers codes from 1000 on, for WebSocket. */
function isStatusRange(text: string): boolean {
  const [, first = '', last = first] = /^([1-9]\d\d)(?:-([1-9]\d\d))?$/.exec(text) ?? [];
  return first !== '' && first <= last;
}

/**
 * Joins statuses and ranges that overlap or touch: '200', '201' and '202-299' give '200-299'. The field has room for only 300
 * characters.
 */
function mergedRanges(codes: readonly string[]): string {
  const merged: [first: number, last: number][] = [];
  const ranges = codes.map((code) => code.split('-').map(Number));
  for (const [first = 0, last = first] of ranges.toSorted(([a = 0], [b = 0]) => a - b)) {
    const before = merged.at(-1);
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else merged.push([first, last]);
  }
  return merged.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(',');
}

/** Returns the URLs without passwords and queries, which may hold secrets. */
function webPlaces(urls: readonly string[]): Place {
  const hosts: string[] = [];
  let isPlain = false;
  for (const url of urls) {
    const [, scheme = '', host = '', path = ''] =
      /^(https?|wss?):\/\/(?:[^/?#]*@)?([^/?#]+)([^?#]*)/i.exec(url) ?? [];
    // Uptime Kuma prefills the URL of every kind of monitor with 'https://'. Without a host, nobody entered a URL, so skip it.
    if (host === '') continue;
    const isTls = /s$/i.test(scheme);
    if (!isTls && /:(?!80$)\d+$/.test(host)) return { reason: `Plain HTTP at ${host} has no certificate` };
    isPlain ||= !isTls;
    hosts.push(`https://${isTls ? host : host.replace(/:80$/, '')}${path}`);
  }
  return { hosts, ...(isPlain && { remark: 'Uptime Kuma uses plain HTTP; HTTPS is checked here' }) };
}

/** Protocols for which Uptime Kuma supports STARTTLS, by their usual ports. */
const STARTTLS_PORTS: ReadonlyMap<number, Protocol> = new Map(
  (['smtp', 'imap', 'xmpp', 'xmpp-server'] as const).flatMap((name) =>
    portsOf(factsOf(name)).map((port) => [port, name] as const),
  ),
);
/**
 * Ports at which servers usually have a certificate, by STARTTLS or direct TLS: those of our protocols, and of DNS, SIP, AMQP, IRC and
 * MQTT.
 */
const CERTIFICATE_PORTS: ReadonlySet<number> = new Set(
  PROTOCOL_NAMES.filter((name) => name !== 'tls')
    .map(factsOf)
    .flatMap((facts) => [...portsOf(facts), ...portsOf(facts.direct)])
    .concat(853, 5061, 5671, 6697, 8883),
);

function portPlace(monitor: JsonObject): Place {
  const [host, port] = [textOf(monitor['hostname']), Number(monitor['port'])];
  if (host === '' || !Number.isInteger(port) || port < 1) return { hosts: [] };
  const place = withPort(host, String(port));
  const alert = textOf(monitor['expectedTlsAlert']);
  if (alert !== '' && alert !== 'none')
    return {
      hosts: [`tls://${place}`],
      remark: 'Uptime Kuma waits for a TLS alert; the certificate is checked here',
    };
  const security = textOf(monitor['smtpSecurity']);
  if (security === 'secure') return { hosts: [`tls://${place}`] };
  const protocol = STARTTLS_PORTS.get(port);
  if (security === 'starttls')
    return protocol === undefined
      ? {
          hosts: [`smtp://${place}`],
          remark:
            'Uptime Kuma does not say which protocol starts TLS here. We assume SMTP. Change it to imap:// or xmpp:// if that is wrong',
        }
      : { hosts: [`${protocol}://${place}`] };
  if (protocol === undefined && !CERTIFICATE_PORTS.has(port))
    return {
      reason: `It only checks whether the port is open. Add tls://${place} if there is a certificate`,
    };
  return { hosts: [place] };
}

function smtpPlace(monitor: JsonObject): Place {
  const [host, port] = [textOf(monitor['hostname']), Number(monitor['port'])];
  const security = textOf(monitor['smtpSecurity']);
  if (security === 'nostarttls') return { reason: WITHOUT_TLS };
  if (host === '') return { hosts: [] };
  const place = Number.isInteger(port) && port > 0 ? withPort(host, String(port)) : host;
  return { hosts: [`${security === 'secure' ? 'smtps' : 'smtp'}://${place}`] };
}

function mqttPlace(monitor: JsonObject): Place {
  const [, scheme = '', host = ''] =
    /^(?:([a-z]+):\/\/)?(?:[^/]*@)?([^/]*)/i.exec(textOf(monitor['hostname'])) ?? [];
  const port = Number(monitor['port']) || 8883;
  const isTls = scheme === '' || scheme === 'mqtt' ? port === 8883 : /s$/i.test(scheme);
  if (!isTls) return { reason: WITHOUT_TLS };
  const isWeb = /^(?:wss|https)$/i.test(scheme);
  return { hosts: host === '' ? [] : [`${isWeb ? 'https' : 'tls'}://${withPort(host, String(port))}`] };
}

function grpcPlace(monitor: JsonObject): Place {
  if (isOff(monitor['grpcEnableTls'])) return { reason: WITHOUT_TLS };
  const host = textOf(monitor['grpcUrl']).replace(/^(?:[a-z]+:\/+)?(?:[^/]*@)?/i, '');
  // gRPC runs over HTTP/2 but has answers of its own, so we check only TLS.
  return { hosts: host === '' ? [] : [`tls://${withPort(host, '443')}`] };
}

interface Connection {
  scheme: string;
  hosts: string[];
  query: URLSearchParams;
}

/** Splits a connection string and drops its password; null if the text is no connection string. */
function connectionOf(monitor: JsonObject): Connection | null {
  const text = textOf(monitor['databaseConnectionString']);
  const [, scheme, authority = '', query = ''] =
    /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)[^?#]*(?:\?([^#]*))?/i.exec(text) ?? [];
  if (scheme === undefined) return null;
  const hosts = authority.slice(authority.lastIndexOf('@') + 1).split(',');
  return { scheme: scheme.toLowerCase(), hosts, query: new URLSearchParams(query) };
}

function databasePlace(protocol: 'postgres' | 'mysql', monitor: JsonObject): Place {
  const connection = connectionOf(monitor);
  if (connection === null || !/^(?:postgres|postgresql|mysql|mariadb)$/.test(connection.scheme))
    return { hosts: [] };
  const { query } = connection;
  if (query.get('sslmode') === 'disable' || query.get('ssl') === 'false') return { reason: WITHOUT_TLS };
  const hosts = connection.hosts.filter((host) => host !== '').map((host) => `${protocol}://${host}`);
  const isTls = query.has('sslmode') || query.has('ssl') || query.has('sslrootcert');
  return {
    hosts,
    ...(!isTls && { remark: 'Uptime Kuma connects without TLS; the certificate is checked here' }),
  };
}

/** Returns the hosts of a connection string if it asks for TLS from the first byte. */
function connectionPlace(
  monitor: JsonObject,
  port: number,
  isTls: (connection: Connection) => boolean,
): Place {
  const connection = connectionOf(monitor);
  if (connection?.scheme.endsWith('+srv') === true)
    return { reason: 'Its hosts are listed in DNS. Add each as tls://HOST:PORT' };
  if (connection === null || !isTls(connection)) return { reason: WITHOUT_TLS };
  return {
    hosts: connection.hosts
      .filter((host) => host !== '')
      .map((host) => `tls://${withPort(host, String(port))}`),
  };
}

/** Returns the tags as text. An Uptime Kuma tag may have a value besides its name: 'env: prod'. */
function tagsOf(tags: unknown): string[] {
  if (!Array.isArray(tags)) return [];
  return tags
    .filter(isJsonObject)
    .map((tag) => [textOf(tag['name']), textOf(tag['value'])].filter((text) => text !== '').join(': '))
    .filter((tag) => tag !== '');
}

const textsOf = (list: unknown): string[] =>
  Array.isArray(list) ? list.map(textOf).filter((text) => text !== '') : [];
// The database stores numbers, the backup has booleans.
const isOn = (value: unknown): boolean => value === true || value === 1;
const isOff = (value: unknown): boolean => value === false || value === 0;
