import type { Logger } from 'pino';
import type { Limits } from '../core/index.ts';
import type { IdentityProvider } from '../providers/identity/index.ts';
import type { PaymentProvider } from '../providers/payments/index.ts';
import type { Store } from '../store/db/open-store.ts';
import type { Readiness, Telemetry } from '../telemetry/index.ts';
import type { Settings } from './http/public-settings.ts';

/** Everything the app needs, as plain values: it reads no environment, no clock and no machine on its own. */
export interface AppOptions {
  store: Store;
  identity: IdentityProvider;
  /** null where nothing is sold. */
  payments: PaymentProvider | null;
  config: AppConfig;
  secrets: { session: string; mailPage: string; invite: string };
  /** Instants are ms UTC. */
  clock: { now(): number };
  /** What the guarded way out lets through, asked before a host is stored. */
  policy: { permits(ip: string): boolean; permitsLocalNames: boolean };
  /** The same for the addresses of channels. */
  channelPolicy: AppOptions['policy'];
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** The folder of the built pages. */
  webRoot: string;
  /** Where mail is kept while there is no mail server; null with one. */
  mailFolder: string | null;
  timing?: Partial<Timing>;
  /** What this process tells of its work. Default: it counts, and traces nothing. */
  telemetry?: Telemetry;
  /** Gets a line for each answer. Default: nobody reads them. */
  requestLog?: Pick<Logger, 'info'>;
  /** Default: ready for as long as it lives. */
  readiness?: Readiness;
}

interface AppConfig {
  publicUrl: URL;
  publicUrlIsDefault: boolean;
  /** Ranges whose forwarded headers count. */
  trustedProxies: readonly string[];
  signups: 'open' | 'invite' | 'closed';
  /** Whether people without an account may have a host looked at. */
  tryIt: boolean;
  limits: Limits;
  insecureHttp: boolean;
  firebase: Settings['firebase'];
  oidc: Settings['oidc'];
  billing: Settings['billing'];
  /** null: figures are for this machine alone. */
  metricsToken: string | null;
  analyticsId: string | null;
  supportEmail: string;
  productName: string;
  demoHosts: readonly string[];
}

export interface Timing {
  /** How long adding a domain waits for its first check. */
  firstCheckMs: number;
  /** How long a look without an account is waited for. */
  glanceMs: number;
  /** Between two signs of life on an event stream; each one also asks whether the session still lives. */
  heartbeatMs: number;
  /** How long the question about health waits for the database: one behind a dead network answers nothing at all. */
  databaseMs: number;
}

export const DEFAULT_TIMING: Timing = {
  firstCheckMs: 5_000,
  glanceMs: 10_000,
  heartbeatMs: 20_000,
  databaseMs: 3_000,
};
