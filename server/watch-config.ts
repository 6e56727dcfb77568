import { isIP } from 'node:net';
import { ConfigError } from './config-error.ts';

/** A host of somebody else's that should always answer over TLS. */
export interface CanaryHost {
  /** A name or an address, without brackets. */
  host: string;
  port: number;
}

/** Fewer could not outvote one that is down itself. */
const LEAST_CANARIES = 3;
const MOST_CANARIES = 10;
const TLS_PORT = 443;

/** The hosts of CANARY_HOSTS, each once. @throws ConfigError for one or two, or for what is no host. */
export function canaryHosts(entries: readonly string[]): CanaryHost[] {
  const parsed = entries.map(canaryHost);
  const canaries = new Map(parsed.map((canary) => [`${canary.host} ${canary.port}`, canary]));
  const { size } = canaries;
  if (size > 0 && (size < LEAST_CANARIES || size > MOST_CANARIES))
    throw new ConfigError(
      `CANARY_HOSTS must list ${LEAST_CANARIES} to ${MOST_CANARIES} different hosts, or none, but it has ${size}: ` +
        'with fewer, one host that is down would look like our own network.',
    );
  return [...canaries.values()];
}

function canaryHost(entry: string): CanaryHost {
  const [, bracketed, plain = '', port = String(TLS_PORT)] =
    /^(?:\[([\da-f:]+)\]|([^:/@[\]]+))(?::(\d{1,5}))?$/i.exec(entry) ?? [];
  const host = (bracketed ?? plain).toLowerCase();
  const isHost = bracketed === undefined ? /^[a-z0-9_.-]{1,253}$/.test(host) : isIP(host) === 6;
  if (isHost && Number(port) >= 1 && Number(port) <= 65_535) return { host, port: Number(port) };
  throw new ConfigError(
    `CANARY_HOSTS must list hosts like www.example.com, 192.0.2.1:8443 or [2001:db8::1]:443, but it has "${entry}".`,
  );
}

/** @throws ConfigError; without the value, whose path mostly is a secret. */
export function heartbeatAddress(value: string | null): URL | null {
  if (value === null) return null;
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.hostname !== '')
    return url;
  throw new ConfigError(
    'HEARTBEAT_URL must be an address like https://heartbeat.example.com/ping/abc, without a user name.',
  );
}

const SHORTEST_TOKEN = 16;

/** @throws ConfigError; without the value, which is a secret. */
export function metricsToken(value: string | null): string | null {
  if (value === null || (value.length >= SHORTEST_TOKEN && /^[\x21-\x7e]+$/.test(value))) return value;
  throw new ConfigError(
    `METRICS_TOKEN must be at least ${SHORTEST_TOKEN} letters, digits or signs without spaces.`,
  );
}
