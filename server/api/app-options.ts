import type { Logger } from 'pino';
import type { Limits } from '../core/index.ts';
import type { IdentityProvider } from '../providers/identity/index.ts';
import type { PaymentProvider } from '../providers/payments/index.ts';
import type { Store } from '../store/db/open-store.ts';
import type { Readiness, Telemetry } from '../telemetry/index.ts';
import type { Settings } from './http/public-settings.ts';

/** Everything the app needs. It reads no environment, clock or machine state by itself. */
export interface AppOptions {
  store: Store;
  identity: IdentityProvider;
  /** Null if nothing is sold. */
  payments: PaymentProvider | null;
  config: AppConfig;
  secrets: { session: string; mailPage: string; invite: string };
  /** Instants are ms UTC. */
  clock: { now(): number };
  /** The egress policy for hosts of monitors, applied before a host is stored. */
  policy: { permits(ip: string): boolean; permitsLocalNames: boolean };
  /** The egress policy for addresses of channels. */
  channelPolicy: AppOptions['policy'];
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Folder of the built web app. */
  webRoot: string;
  /** Folder for captured mail while no mail server is configured; null with one. */
  mailFolder: string | null;
  timing?: Partial<Timing>;
  /** Default: metrics without traces. */
  telemetry?: Telemetry;
  /** Gets a line for each answer. Default: no such log. */
  requestLog?: Pick<Logger, 'info'>;
  /** Default: always ready. */
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
  /** Null: only this machine may read the metrics. */
  metricsToken: string | null;
  analyticsId: string | null;
  supportEmail: string;
  productName: string;
  demoHosts: readonly string[];
}

export interface Timing {
  /** How long adding a domain waits for its first check. */
  firstCheckMs: number;
  /** How long a preview check waits for its result. */
  previewMs: number;
  /** Interval between heartbeats of an event stream; each one also checks the session. */
  heartbeatMs: number;
  /** How long a health check waits for the database: behind a dead network it never answers. */
  databaseMs: number;
}

export const DEFAULT_TIMING: Timing = {
  firstCheckMs: 5_000,
  previewMs: 10_000,
  heartbeatMs: 20_000,
  databaseMs: 3_000,
};
