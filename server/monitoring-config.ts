import { isIP } from 'node:net';
import { ConfigError } from './config-error.ts';

/** An independent host that should always answer over TLS. */
export interface CanaryHost {
  /** Host name or IP address, IPv6 without brackets. */
  host: string;
  port: number;
}

/** Minimum number of canary hosts. With fewer, one host that is down itself would look like an outage of our own network. */
const MIN_CANARIES = 3;
const MAX_CANARIES = 10;
const TLS_PORT = 443;

/**
 * Parses CANARY_HOSTS without duplicates. @throws ConfigError for an invalid entry, or unless 0 or 3 to 10 hosts remain
 */
export function canaryHosts(entries: readonly string[]): CanaryHost[] {
  const parsed = entries.map(canaryHost);
  const canaries = new Map(parsed.map((canary) => [`${canary.host} ${canary.port}`, canary]));
  const { size } = canaries;
  if (size > 0 && (size < MIN_CANARIES || size > MAX_CANARIES))
    throw new ConfigError(
      `CANARY_HOSTS must list ${MIN_CANARIES} to ${MAX_CANARIES} different hosts, or none, but it has ${size}: ` +
        'with fewer, one host that is down would look like a failure of our own network.',
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
    `CANARY_HOSTS must list hosts like www.example.com, 192.0.2.1:8443 or [2001:db8::1]:443, but it has “${entry}”.`,
  );
}

/** Parses HEARTBEAT_URL. @throws ConfigError, which does not quote the value because its path is usually a secret */
export function heartbeatAddress(value: string | null): URL | null {
  if (value === null) return null;
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.hostname !== '')
    return url;
  throw new ConfigError(
    'HEARTBEAT_URL must be an address like https://heartbeat.example.com/ping/abc, without a user name.',
  );
}

const MIN_TOKEN_LENGTH = 16;

/** Validates METRICS_TOKEN. @throws ConfigError, which does not quote the secret value */
export function metricsToken(value: string | null): string | null {
  if (value === null || (value.length >= MIN_TOKEN_LENGTH && /^[\x21-\x7e]+$/.test(value))) return value;
  throw new ConfigError(
    `METRICS_TOKEN must be at least ${MIN_TOKEN_LENGTH} ASCII characters without spaces.`,
  );
}
