import { styleText } from 'node:util';
import type { ForecastContext, PastRenewal } from '../../server/core/forecast/evidence.ts';
import { checkWords, forecastLine, forecastMessage } from '../../server/core/forecast/forecast-words.ts';
import type { Forecast, ForecastCheck } from '../../server/core/forecast/forecast.ts';
import { makeForecast } from '../../server/core/forecast/make-forecast.ts';
import { forecastWire } from '../../server/api/domains/report-wire.ts';
import { certificateFacts } from '../../server/core/facts.ts';
import { renewalWindow } from '../../server/core/judge/renewal.ts';
import { longDate } from '../../server/core/long-date.ts';
import type { Certificate } from '../../server/pki/certificate.ts';
import type { Endpoint } from '../../server/core/endpoint.ts';
import { failureSentence } from '../../server/core/report/reach-finding.ts';
import type { ForecastSource } from '../../server/probe/forecast/forecast-source.ts';
import { type Checked, checkEndpoint } from './check-endpoint.ts';
import type { Checker } from './create-checker.ts';
import { certificateWire, endpointWire } from './json-report.ts';
import { printable } from './printable.ts';

/** The forecast for a host's certificate. */
export interface HostForecast {
  endpoint: Endpoint;
  /** Name of the endpoint to display. */
  host: string;
  leaf: Certificate | null;
  /** null: see `why`. */
  forecast: Forecast | null;
  /** Why there is no forecast, as a sentence; null if there is one. */
  why: string | null;
}

interface ForecastOptions extends Pick<Checker, 'probe' | 'sources' | 'trustStore' | 'logLists'> {
  source: ForecastSource;
  /** Whether certificates of CAs that are not public get a forecast. */
  hasOwnCa: boolean;
  signal: AbortSignal;
  onSlow: () => void;
}

/** Reads the certificate of a host, collects the evidence and makes the forecast of the next renewal. */
export async function forecastHost(endpoint: Endpoint, options: ForecastOptions): Promise<HostForecast> {
  const { source, sources, trustStore, hasOwnCa, signal } = options;
  const checked = await checkEndpoint(endpoint, { ...options, withPosture: false });
  const { host, leaf, verdict, observation } = checked;
  const none = (why: string): HostForecast => ({ endpoint, host, leaf, forecast: null, why });
  if (!verdict.reached || leaf === null)
    return none(`not reached: ${verdict.failure ? failureSentence(verdict.failure, host) : 'no answer'}`);
  const anchor = verdict.path.at(-1);
  if (anchor === undefined || !(hasOwnCa || trustStore.isPublic(anchor.fingerprint)))
    return none('no forecast: the certificate is not from a public CA');
  const now = Date.now();
  const names = leaf.subjectAltNames.dnsNames;
  const [evidence, registration] = await Promise.all([
    source.gather({ names, watchedHosts: [endpoint.host], now, signal }),
    sources.domains.registration({ host: endpoint.host, now, signal }),
  ]);
  const forecast = makeForecast(evidence, {
    certificate: {
      fingerprint: leaf.fingerprint,
      notBefore: leaf.notBefore,
      notAfter: leaf.notAfter,
      sans: certificateFacts(leaf).sans,
      issuerOrganization: leaf.issuer.attribute('O') ?? '',
      issuerName: leaf.issuer.attribute('CN') ?? '',
    },
    renewalWindow: renewalWindow(leaf, observation.renewal),
    registrations: [registration],
    renewals: NO_RENEWALS,
    otherRenewals: NO_RENEWALS,
    unreachable443: unreachable443(checked),
    first: null,
    now,
  });
  return { endpoint, host, leaf, forecast, why: null };
}

const NO_RENEWALS: readonly PastRenewal[] = [];

function unreachable443({ endpoint, observation }: Checked): ForecastContext['unreachable443'] {
  if (endpoint.port !== 443) return [];
  return observation.addresses.flatMap((one) =>
    one.outcome === 'failed' && one.stage === 'connect'
      ? [{ host: endpoint.host, address: one.address }]
      : [],
  );
}

/** Returns the worst exit code of all forecasts. The command's help documents the codes. */
export function forecastExitCode(forecasts: readonly HostForecast[]): 0 | 1 | 2 | 3 {
  const codes = { works: 0, not_known: 1, fails: 2 } as const;
  return forecasts
    .map(({ forecast }) => (forecast === null ? 3 : codes[forecast.outcome]))
    .reduce<0 | 1 | 2 | 3>((worst, code) => (code > worst ? code : worst), 0);
}

type Style = Parameters<typeof styleText>[0];
const OUTCOMES = {
  works: { words: 'the next renewal will work', style: 'green' },
  not_known: { words: 'it cannot be known whether the next renewal will work', style: 'yellow' },
  fails: { words: 'the next renewal will fail', style: 'red' },
} as const satisfies Record<Forecast['outcome'], { words: string; style: Style }>;
const MARKS: Record<ForecastCheck['state'], { mark: string; style: Style }> = {
  fails: { mark: '✗', style: 'red' },
  depends: { mark: '?', style: 'yellow' },
  warns: { mark: '!', style: 'yellow' },
  not_known: { mark: '·', style: 'dim' },
  passes: { mark: '✓', style: 'green' },
};
/** Formats a forecast for a terminal. Adds escape sequences for colours only if `coloured`. */
export function forecastText({ host, leaf, forecast, why }: HostForecast, coloured: boolean): string {
  const paint = (style: Style, text: string): string =>
    coloured ? styleText(style, printable(text), { validateStream: false }) : printable(text);
  if (forecast === null || leaf === null) return `${paint('bold', host)}  ${paint('red', why ?? '')}\n`;
  const { outcome, checks } = forecast;
  const { words, style } = OUTCOMES[outcome];
  return [
    `${paint('bold', host)}  ${paint(style, forecastLine(forecast) ?? words)}`,
    `  ${printable(forecastMessage(forecast))}`,
    `  The certificate is valid until ${longDate(leaf.notAfter, 'UTC')}.`,
    ...checks.flatMap((check) => checkLines(check, paint)),
    '',
  ].join('\n');
}

function checkLines(check: ForecastCheck, paint: (style: Style, text: string) => string): string[] {
  const { title, message, evidence, fix, zoneRecord } = checkWords(check);
  const { mark, style } = MARKS[check.state];
  const more = [
    ...evidence.map(({ label, value }) => `${label}: ${value}`),
    ...(fix === null ? [] : [`What to do: ${fix}`]),
    ...(zoneRecord === null ? [] : [`Record: ${zoneRecord}`]),
  ];
  return [
    `  ${paint(style, mark)} ${printable(`${title}: ${message}`)}`,
    ...more.map((line) => `      ${paint('dim', line)}`),
  ];
}

/** Returns a forecast for --json. Fields that the API has too have the same names. */
export function forecastJson({ endpoint, host, leaf, forecast, why }: HostForecast) {
  return {
    ...endpointWire(endpoint),
    display_name: host,
    failure: why,
    certificate: leaf === null ? null : certificateWire(leaf),
    forecast: forecast === null ? null : forecastWire(forecast, null),
  };
}
