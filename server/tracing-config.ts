import { hostname } from 'node:os';
import { ConfigError } from './config-error.ts';

/** Settings of the OTLP trace exporter. */
export interface TracingConfig {
  endpoint: URL;
  headers: Record<string, string>;
  /** Resource attributes that identify this process. */
  resource: Record<string, string>;
  /** Share of the traces started here that are sampled, in [0, 1]. */
  ratio: number;
  timeoutMs: number;
  /** Longest time a finished span waits for its batch to fill, in ms. */
  delayMs: number;
}

type Read = (name: string) => string | null;

const TRACES_PATH = 'v1/traces';

/**
 * Parses OpenTelemetry's variables. Returns null if no endpoint is set or OTEL_SDK_DISABLED is true. @throws ConfigError, which
 * quotes no header or endpoint
 */
export function tracingConfig(text: Read): TracingConfig | null {
  const endpoint = endpointOf(text);
  if (endpoint === null || text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return null;
  const protocol =
    text('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? text('OTEL_EXPORTER_OTLP_PROTOCOL') ?? 'http/json';
  if (protocol !== 'http/json')
    throw new ConfigError(
      `OTEL_EXPORTER_OTLP_PROTOCOL must be http/json (usually port 4318), but it is “${protocol}”.`,
    );
  return {
    endpoint,
    headers: {
      ...pairs('OTEL_EXPORTER_OTLP_HEADERS', text),
      ...pairs('OTEL_EXPORTER_OTLP_TRACES_HEADERS', text),
    },
    resource: {
      'host.name': hostname(),
      'process.pid': String(process.pid),
      'service.name': 'certlantern',
      ...pairs('OTEL_RESOURCE_ATTRIBUTES', text),
      ...attribute('service.name', text('OTEL_SERVICE_NAME')),
    },
    ratio: ratioOf(text),
    timeoutMs: milliseconds('OTEL_EXPORTER_OTLP_TIMEOUT', text, 10_000),
    delayMs: milliseconds('OTEL_BSP_SCHEDULE_DELAY', text, 5_000),
  };
}

function attribute(name: string, value: string | null): Record<string, string> {
  return value === null ? {} : { [name]: value };
}

/** Returns the traces endpoint as it is set, or the general OTLP endpoint with the path of traces appended. */
function endpointOf(text: Read): URL | null {
  const whole = text('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  if (whole !== null) return address('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', whole);
  const base = text('OTEL_EXPORTER_OTLP_ENDPOINT');
  if (base === null) return null;
  const url = address('OTEL_EXPORTER_OTLP_ENDPOINT', base);
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}/${TRACES_PATH}`;
  return url;
}

function address(name: string, value: string): URL {
  const url = URL.canParse(value) ? new URL(value) : null;
  // fetch rejects URLs with a user name.
  if (url && ['http:', 'https:'].includes(url.protocol) && url.username === '') return url;
  throw new ConfigError(
    `${name} must be an address like http://localhost:4318, without a user name. Put credentials into OTEL_EXPORTER_OTLP_HEADERS.`,
  );
}

/** Parses percent-encoded `name=value,name=value` (W3C Baggage format). @throws ConfigError */
function pairs(name: string, text: Read): Record<string, string> {
  const entries = (text(name) ?? '').split(',').filter((entry) => entry.trim() !== '');
  return Object.fromEntries(
    entries.map((entry) => {
      const [, key = '', value = ''] = /^\s*([^=\s]+)\s*=([^]*)$/.exec(entry) ?? [];
      if (key === '') throw new ConfigError(`${name} must be like name=value,name=value.`);
      try {
        return [key, decodeURIComponent(value.trim())];
      } catch (error) {
        throw new ConfigError(`${name} has a “%” that starts no valid percent-encoding.`, { cause: error });
      }
    }),
  );
}

function ratioOf(text: Read): number {
  const sampler = text('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on';
  if (sampler === 'always_on' || sampler === 'parentbased_always_on') return 1;
  if (sampler === 'always_off' || sampler === 'parentbased_always_off') return 0;
  if (!['traceidratio', 'parentbased_traceidratio'].includes(sampler))
    throw new ConfigError(
      `OTEL_TRACES_SAMPLER must be parentbased_always_on, parentbased_traceidratio or parentbased_always_off, but it is “${sampler}”.`,
    );
  const ratio = Number(text('OTEL_TRACES_SAMPLER_ARG') ?? '1');
  if (ratio >= 0 && ratio <= 1) return ratio;
  throw new ConfigError('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1.');
}

function milliseconds(name: string, text: Read, otherwise: number): number {
  const given = text(name);
  if (given === null) return otherwise;
  const value = /^\d{1,6}$/.test(given) ? Number(given) : 0;
  if (value > 0) return value;
  throw new ConfigError(`${name} must be a whole number of milliseconds above 0.`);
}
