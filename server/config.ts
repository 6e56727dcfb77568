import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { readCertificateFile } from './certificate-file.ts';
import { ConfigError } from './config-error.ts';
import { type Limits, limitsFrom } from './core/limits.ts';
import { type BounceConfig, bounceConfig, smtpAddress } from './mail-config.ts';
import {
  analyticsId,
  type BillingConfig,
  billingConfig,
  type FirebaseConfig,
  firebaseConfig,
  type OidcConfig,
  oidcConfig,
} from './provider-config.ts';
import { type EgressConfig, egressConfig, parseAddressRange } from './egress-config.ts';
import { logListConfig } from './log-list-config.ts';
import type { LogListsOptions } from './worker/log-lists.ts';
import { type TracingConfig, tracingConfig } from './tracing-config.ts';
import { type CanaryHost, canaryHosts, heartbeatAddress, metricsToken } from './monitoring-config.ts';

/** All settings, parsed from the environment. `.env.example` explains each variable. */
export interface Config extends EgressConfig {
  port: number;
  host: string;
  publicUrl: URL;
  /**
   * True if PUBLIC_URL is not set. Then every loopback name with this port counts as our own origin, with INSECURE_HTTP also
   * the IP address that a request uses.
   */
  publicUrlIsDefault: boolean;
  /** Absolute path of DATA_DIR. */
  dataDir: string;
  /** URL of the PostgreSQL database; null: SQLite in dataDir. */
  databaseUrl: string | null;
  /** URL of a read replica for queries that tolerate replication lag; null: all queries use databaseUrl. */
  databaseReplicaUrl: string | null;
  role: Role;
  /** URL of the SMTP server; null: mail is captured in dataDir and shown at /dev/mail. */
  smtpUrl: string | null;
  mailFrom: string;
  /** Bounce address and mailbox; null: bounces are sent to `mailFrom`, and the server does not read them. */
  bounces: BounceConfig | null;
  /** The PEM text of EXTRA_CA_FILE. */
  extraCaPem: string | null;
  /** Where the lists of Certificate Transparency logs come from (CT_LOG_LIST, APPLE_LOG_LIST). */
  logLists: LogListsOptions['settings'];
  dnsServers: string[];
  /** Whether the worker makes forecasts of renewals (FORECAST). */
  forecasts: boolean;
  /** Name in EHLO to watched mail servers; null: chosen for each connection. */
  ehloName: string | null;
  checkConcurrency: number;
  /** Length of the leases of checks and messages, ms. */
  leaseMs: number;
  /** Empty, or 3 to 10 hosts that show whether our own network works and our clock is right. */
  canaryHosts: CanaryHost[];
  /** URL requested every few minutes while checks and deliveries work and no alarm is raised; null: no heartbeat. */
  heartbeatUrl: URL | null;
  /** Bearer token for /metrics; null: only requests from this machine, without a proxy, may read it. */
  metricsToken: string | null;
  /** Port on which a worker process serves metrics and health; null: none. */
  workerPort: number | null;
  /** Settings of the trace exporter; null: no tracing. */
  tracing: TracingConfig | null;
  trustedProxies: string[];
  /** Limits on the resources that users may consume. */
  limits: Limits;
  insecureHttp: boolean;
  /** Firebase as identity provider; null: the built-in one. */
  firebase: FirebaseConfig | null;
  /** OpenID Connect providers offered by the built-in identity provider. */
  oidc: OidcConfig[];
  billing: BillingConfig;
  analyticsId: string | null;
  logLevel: (typeof LOG_LEVELS)[number];
  supportEmail: string;
  productName: string;
  /** Example hosts offered on an empty dashboard. The demo sets them. */
  demoHosts: string[];
}

const ROLES = ['all', 'api', 'worker', 'migrate'] as const;
export type Role = (typeof ROLES)[number];
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the process environment. The file `.env` in the working directory supplies variables that the environment does not set. */
export function readEnvironment(): Environment {
  const file = resolve('.env');
  if (!existsSync(file)) return process.env;
  return { ...parseEnv(readFileSync(file, 'utf8')), ...process.env };
}

/** Parses the environment. An empty value counts as not set. @throws ConfigError for the first invalid variable. */
export function parseConfig(environment: Environment): Config {
  const text = (name: string) => environment[name]?.trim() || null;
  const list = (name: string) => (text(name) ?? '').split(/[\s,]+/).filter((entry) => entry !== '');

  const port = wholeNumber('PORT', text('PORT') ?? '8080', 0, 65535);
  const publicUrlText = text('PUBLIC_URL');
  const productName = oneLineName('PRODUCT_NAME', text('PRODUCT_NAME') ?? 'Certlantern');
  const databaseUrl = text('DATABASE_URL');
  if (databaseUrl !== null) databaseAddress('DATABASE_URL', databaseUrl);
  const databaseReplicaUrl = text('DATABASE_REPLICA_URL');
  if (databaseReplicaUrl !== null) databaseAddress('DATABASE_REPLICA_URL', databaseReplicaUrl);
  if (databaseReplicaUrl !== null && databaseUrl === null)
    throw new ConfigError(
      'DATABASE_REPLICA_URL needs DATABASE_URL, because a replica is a copy of that database. Set both or neither.',
    );
  const role = oneOf('ROLE', text('ROLE') ?? 'all', ROLES);
  if ((role === 'api' || role === 'worker') && databaseUrl === null)
    throw new ConfigError(
      `ROLE=${role} needs PostgreSQL, because several processes share the work. Set DATABASE_URL, or leave ROLE out.`,
    );
  const publicUrl = publicAddress(publicUrlText ?? `http://localhost:${port}`);

  return {
    port,
    host: text('HOST') ?? '127.0.0.1',
    publicUrl,
    publicUrlIsDefault: publicUrlText === null,
    dataDir: resolve(text('DATA_DIR') ?? './data'),
    databaseUrl,
    databaseReplicaUrl,
    role,
    smtpUrl: smtpAddress(text('SMTP_URL')),
    mailFrom: mailAddress(
      'MAIL_FROM',
      text('MAIL_FROM') ?? `${quotedDisplayName(productName)} <alerts@${mailDomain(publicUrl)}>`,
    ),
    bounces: bounceConfig(text('BOUNCE_ADDRESS'), text('BOUNCE_MAILBOX')),
    ...egressConfig({
      signups: oneOf('SIGNUPS', text('SIGNUPS') ?? 'open', ['open', 'invite', 'closed'] as const),
      egress: list('EGRESS_ALLOW_CIDRS'),
      channels: list('CHANNEL_ALLOW_CIDRS'),
      tryIt: onOrOff('TRY_IT', text('TRY_IT')),
      hostsFile: text('HOSTS_FILE'),
    }),
    extraCaPem: certificateFile(text('EXTRA_CA_FILE')),
    logLists: logListConfig(text),
    dnsServers: list('DNS_SERVERS').map(nameServer),
    forecasts: onOrOff('FORECAST', text('FORECAST')) ?? true,
    ehloName: ehloName(text('EHLO_NAME')),
    checkConcurrency: wholeNumber('CHECK_CONCURRENCY', text('CHECK_CONCURRENCY') ?? '64', 1, 2000),
    leaseMs: 1_000 * wholeNumber('LEASE_SECONDS', text('LEASE_SECONDS') ?? '45', 5, 3_600),
    canaryHosts: canaryHosts(list('CANARY_HOSTS')),
    heartbeatUrl: heartbeatAddress(text('HEARTBEAT_URL')),
    metricsToken: metricsToken(text('METRICS_TOKEN')),
    workerPort: wholeNumber('WORKER_PORT', text('WORKER_PORT') ?? '0', 0, 65_535) || null,
    tracing: tracingConfig(text),
    trustedProxies: list('TRUSTED_PROXIES').map((entry) => parseAddressRange('TRUSTED_PROXIES', entry)),
    limits: limitsFrom(({ setting, standard, min, max }) =>
      wholeNumber(setting, text(setting) ?? String(standard), min, max),
    ),
    insecureHttp: yesOrNo('INSECURE_HTTP', text('INSECURE_HTTP') ?? 'false'),
    firebase: firebaseConfig(text),
    oidc: oidcConfig(text),
    billing: billingConfig(text, { isLoopback: isLoopbackName(publicUrl.hostname) }),
    analyticsId: analyticsId(text),
    logLevel: oneOf('LOG_LEVEL', text('LOG_LEVEL') ?? 'warn', LOG_LEVELS),
    supportEmail: mailAddress('SUPPORT_EMAIL', text('SUPPORT_EMAIL') ?? `support@${mailDomain(publicUrl)}`),
    productName,
    demoHosts: list('DEMO_HOSTS'),
  };
}

const isLoopbackName = (hostname: string) => ['localhost', '127.0.0.1', '[::1]'].includes(hostname);

function wholeNumber(name: string, value: string, min: number, max: number): number {
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= min && number <= max))
    throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, but it is “${value}”.`);
  return number;
}

function oneOf<const T extends readonly string[]>(name: string, value: string, choices: T): T[number] {
  if (choices.includes(value)) return value;
  throw new ConfigError(`${name} must be one of ${choices.join(', ')}, but it is “${value}”.`);
}

function yesOrNo(name: string, value: string): boolean {
  return ['true', '1'].includes(oneOf(name, value.toLowerCase(), ['true', 'false', '1', '0'] as const));
}

/** Returns whether a variable is `on`, or null if it is not set. @throws ConfigError */
function onOrOff(name: string, value: string | null): boolean | null {
  return value === null ? null : oneOf(name, value.toLowerCase(), ['on', 'off'] as const) === 'on';
}

function parseUrl(name: string, value: string, schemes: readonly string[], example: string): URL {
  const url = URL.canParse(value) ? new URL(value) : null;
  // Do not quote the value in the message, because it may contain a password.
  if (!url || !schemes.includes(url.protocol) || url.hostname === '')
    throw new ConfigError(`${name} must be an address like ${example}.`);
  return url;
}

function publicAddress(value: string): URL {
  const url = parseUrl('PUBLIC_URL', value, ['http:', 'https:'], 'https://certs.example.com');
  if (url.pathname !== '/' || url.search || url.hash || url.username)
    throw new ConfigError(
      `PUBLIC_URL must have no path, query or user name, but it is “${url.origin}${url.pathname}…”. The product must be at the root of its host.`,
    );
  return url;
}

function databaseAddress(name: string, value: string): URL {
  const hint = 'postgres://user:password@host:5432/name (leave it out for the embedded database)';
  return parseUrl(name, value, ['postgres:', 'postgresql:'], hint);
}

/**
 * Validates a mail address of the form `a@b` or `Name <a@b>`. Rejects line breaks, which could inject a mail header. @throws
 * ConfigError
 */
function mailAddress(name: string, value: string): string {
  if (/^(?:[^<>\p{Cc}]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/u.test(value)) return value;
  throw new ConfigError(`${name} must be a mail address like alerts@example.com, but it is “${value}”.`);
}

function oneLineName(name: string, value: string): string {
  if (!/\p{Cc}/u.test(value) && value.length <= 100) return value;
  throw new ConfigError(`${name} must be one line of at most 100 characters.`);
}

/**
 * Returns a display name for a mail address. If it has special characters, quotes it (RFC 5322 §3.2.5) without `"`, `\`, `<`
 * and `>`.
 */
function quotedDisplayName(name: string): string {
  return /^[\p{L}\p{N}\p{M} '-]+$/u.test(name) ? name : `"${name.replaceAll(/["\\<>]/g, '')}"`;
}

/** Returns the domain for default mail addresses: the host of PUBLIC_URL, or localhost if that is an IP address. */
function mailDomain(publicUrl: URL): string {
  const host = publicUrl.hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? host : 'localhost';
}

function nameServer(value: string): string {
  const withPort = /^(?:\[(.+)\]|(\d+\.\d+\.\d+\.\d+)):(\d{1,5})$/.exec(value);
  const address = withPort?.[1] ?? withPort?.[2] ?? value;
  if (isIP(address) !== 0 && Number(withPort?.[3] ?? 53) <= 65535) return value;
  throw new ConfigError(
    `DNS_SERVERS must list addresses like 9.9.9.9, 127.0.0.1:5353 or [2620:fe::fe]:53, but it has “${value}”.`,
  );
}

/** Validates a name for EHLO (RFC 5321 §4.1.1.1). @throws ConfigError */
function ehloName(value: string | null): string | null {
  if (value === null || /^(?:[a-z\d.-]{1,253}|\[[a-z\d.:]{2,60}\])$/i.test(value)) return value;
  throw new ConfigError(
    `EHLO_NAME must be a host name like checks.example.com or an address like [203.0.113.7], but it is “${value}”.`,
  );
}

function certificateFile(path: string | null): string | null {
  if (path === null) return null;
  const read = readCertificateFile(path);
  if (!read.ok) throw new ConfigError(`EXTRA_CA_FILE: ${read.message}`);
  return read.pem;
}
