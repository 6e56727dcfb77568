import { code, type Infer, list, nullable, number, object, text } from '../shape.ts';
import type { ValidationMethod } from './evidence.ts';

/** The checks of a forecast. Stored forecasts have these codes, so they never change. */
export const FORECAST_CHECKS = [
  'caa',
  'dnssec',
  'names',
  'http',
  'tls_alpn',
  'dns',
  'persist',
  'registration',
  'schedule',
  'lifetime',
  'overdue',
] as const;
export type ForecastCheckCode = (typeof FORECAST_CHECKS)[number];

const check = object({
  code: code<ForecastCheckCode>(),
  /**
   * `fails`: the next renewal fails because of this, whatever the method. `depends`: it fails with the methods in `methods`, and with others
   * it does not. `warns`: it may come too late or is a fault of its own, and does not make the renewal fail.
   */
  state: code<'passes' | 'fails' | 'depends' | 'warns' | 'not_known'>(),
  methods: list(code<ValidationMethod>()),
  /** The names of the certificate that it concerns, at most 10; empty if it concerns none in particular. */
  names: list(text),
  /** Why: a code of this check, which its words are made from. */
  reason: text,
  /** Values for the words, by name. */
  values: (value: unknown): value is Readonly<Record<string, string | number | readonly string[]>> =>
    typeof value === 'object' && value !== null,
});
export type ForecastCheck = Infer<typeof check>;

/** Returns whether a value has the shape of a forecast that this version writes. */
export const isForecast = object({
  /** Time of the evidence, ms UTC. */
  at: number,
  outcome: code<'works' | 'fails' | 'not_known'>(),
  /** When we expect the renewal, ms UTC. */
  expectedAt: number,
  expectedBy: code<'ari' | 'habit' | 'lifetime'>(),
  /** The method that the site seems to use; null if we do not know. */
  method: nullable(code<ValidationMethod>()),
  /** The methods that nothing we can see rules out. */
  possible: list(code<ValidationMethod>()),
  /** What the first forecast of the certificate saw. Later ones repeat it. */
  first: object({ at: number, possible: list(code<ValidationMethod>()), accounts: list(text) }),
  /** Worst first. */
  checks: list(check),
});
/** Whether the next renewal of a certificate will work, as far as can be seen from outside. Plain JSON. */
export type Forecast = Infer<typeof isForecast>;
