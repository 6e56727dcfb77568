import type { Logger } from 'pino';
import type { Limits } from '../core/index.ts';
import type { IdentityProvider } from '../providers/identity/index.ts';
import type { PaymentProvider } from '../providers/payments/index.ts';
import type { Store } from '../store/db/open-store.ts';
import type { Readiness, Telemetry } from '../telemetry/index.ts';
import type { Settings } from './http/public-settings.ts';

/** Everything that the app needs. The app itself reads no environment variable, clock or machine state. */
export interface AppOptions {
  store: Store;
  identity: IdentityProvider;
  /** Payment provider; null if nothing is sold. */
  payments: PaymentProvider | null;
  config: AppConfig;
  secrets: { session: string; mailPage: string; invite: string };
  /** Clock whose `now` returns ms UTC. */
  clock: { now(): number };
  /** Egress policy for hosts of monitors, applied before a host is stored. */
  policy: { permits(ip: string): boolean; permitsLocalNames: boolean };
  /** Egress policy for addresses of channels. */
  channelPolicy: AppOptions['policy'];
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Folder of the built web app. */
  webRoot: string;
  /** Folder for captured mail while no mail server is configured; null if a mail server is configured. */
  mailFolder: string | null;
  timing?: Partial<Timing>;
  /** Metrics and traces of the process. Default: metrics only. */
  telemetry?: Telemetry;
  /** Logger that gets a line for each response. Default: no request log. */
  requestLog?: Pick<Logger, 'info'>;
  /** Readiness of the process. Default: always ready. */
  readiness?: Readiness;
}

interface AppConfig {
  publicUrl: URL;
  publicUrlIsDefault: boolean;
  /** CIDR ranges of proxies whose forwarding headers are trusted. */
  trustedProxies: readonly string[];
  signups: 'open' | 'invite' | 'closed';
  /** Whether people without an account may have a host checked. */
  tryIt: boolean;
  limits: Limits;
  insecureHttp: boolean;
  firebase: Settings['firebase'];
  oidc: Settings['oidc'];
  billing: Settings['billing'];
  /** Bearer token for the metrics; null if only this machine may read them. */
  metricsToken: string | null;
  analyticsId: string | null;
  supportEmail: string;
  productName: string;
  demoHosts: readonly string[];
}

export interface Timing {
  /** Maximum time for which adding a domain waits for the first check, ms. */
  firstCheckMs: number;
  /** Maximum time for which a preview check waits for its result, ms. */
  previewMs: number;
  /** Interval between heartbeats of an event stream, ms. Each heartbeat also checks the session. */
  heartbeatMs: number;
  /**
   * Maximum time for which a health check waits for the database, ms: behind a broken network the database never
   * answers.
   */
  databaseMs: number;
}

export const DEFAULT_TIMING: Timing = {
  firstCheckMs: 5_000,
  previewMs: 10_000,
  heartbeatMs: 20_000,
  databaseMs: 3_000,
};
