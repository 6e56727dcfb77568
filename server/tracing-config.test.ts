import { expect, it } from 'vitest';
import { ConfigError } from './config-error.ts';
import { tracingConfig } from './tracing-config.ts';

const configOf = (environment: Record<string, string>) => tracingConfig((name) => environment[name] ?? null);
const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

it('tracingConfig is null unless an endpoint is set', () => {
  expect(configOf({})).toBeNull();
  expect(configOf({ OTEL_SERVICE_NAME: 'watch' })).toBeNull();
  expect(configOf({ ...ENDPOINT, OTEL_SDK_DISABLED: 'true' })).toBeNull();
});

it('tracingConfig reads the variables as OpenTelemetry defines them', () => {
  const config = configOf({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example/otlp/',
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20b, x-team=ops',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-team=traces',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=prod,service.name=other',
    OTEL_SERVICE_NAME: 'watch',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.1',
    OTEL_BSP_SCHEDULE_DELAY: '500',
  });
  expect(config).toMatchObject({
    headers: { 'api-key': 'a b', 'x-team': 'traces' },
    resource: { 'deployment.environment.name': 'prod', 'service.name': 'watch' },
    ratio: 0.1,
    delayMs: 500,
    timeoutMs: 10_000,
  });
  expect(config?.endpoint.href).toBe('https://collector.example/otlp/v1/traces');
  const asItIs = configOf({ ...ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://tempo:4318/in' });
  expect(asItIs?.endpoint.href).toBe('http://tempo:4318/in');
});

it.each([
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://me:hunter2@collector:4318' },
  { ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
  { ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: 'hunter2' },
  { ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: 'api-key=hunter2%' },
  { ...ENDPOINT, OTEL_TRACES_SAMPLER: 'jaeger_remote' },
  { ...ENDPOINT, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' },
  { ...ENDPOINT, OTEL_EXPORTER_OTLP_TIMEOUT: 'soon' },
])('tracingConfig refuses invalid values in one line without secrets: %o', (environment) => {
  const refused = (): unknown => configOf(environment);
  expect(refused).toThrow(ConfigError);
  expect(refused).not.toThrow(/hunter2|\n/);
});
