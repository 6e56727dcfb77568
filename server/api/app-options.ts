import type { Logger } from 'pino';
import type { Limits } from '../core/limits.ts';
import type { CheckedEndpoint } from '../core/target.ts';
import type { IdentityProvider } from '../providers/identity/identity-provider.ts';
import type { PaymentProvider } from '../providers/payments/payment-provider.ts';
import type { Store } from '../store/db/open-store.ts';
import type { Telemetry } from '../telemetry/metrics.ts';
import type { Readiness } from '../telemetry/readiness.ts';
import type { Monotonic } from '../../contract/durations.ts';

/** Settings of the identity and payment providers that pages and their security headers need, without secrets. */
export interface ProviderSettings {
  firebase: {
    projectId: string;
    apiKey: string;
    authDomain: string;
    emulatorUrl: string | null;
  } | null;
  oidc: readonly { id: string; name: string }[];
  billing:
    | { mode: 'none' | 'unset' | 'test' }
    | { mode: 'paddle'; clientToken: string; environment: 'live' | 'sandbox' };
}

/** Everything that the app needs. The app itself reads neither environment variables nor the system's date and time. */
export interface AppOptions {
  store: Store;
  identity: IdentityProvider;
  /** Payment provider; null if nothing is sold. */
  payments: PaymentProvider | null;
  config: AppConfig;
  secrets: { session: string; mailPage: string; invite: string };
  /** `now` returns ms UTC. */
  clock: { now(): number; monotonic: Monotonic };
  /** Egress policy for the hosts of monitors and preview checks, applied when somebody enters a host. */
  policy: {
    permits(ip: string): boolean;
    /** Returns whether the operator has opened the address range that contains this address. */
    opens(ip: string): boolean;
    permitsLocalNames: boolean;
    isLocalName(host: string): boolean;
  };
  /** Returns whether DNS has a permitted address for the endpoint; null if DNS does not answer in time. */
  isInDns(endpoint: CheckedEndpoint): Promise<boolean | null>;
  /** Egress policy for the URLs of channels, applied when somebody enters one. */
  channelPolicy: Omit<AppOptions['policy'], 'isLocalName'>;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Folder of the built web app. */
  webRoot: string;
  /** Folder for captured mail while no mail server is configured; null if a mail server is configured. */
  mailFolder: string | null;
  timing?: Partial<Timing>;
  /** Metrics and traces of the process. Default: metrics only. */
  telemetry?: Telemetry;
  /** Logger that gets a line per response, except for files, health checks and `/metrics`. Default: no request log. */
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
  /** Whether the worker makes forecasts of renewals. */
  forecasts: boolean;
  limits: Limits;
  insecureHttp: boolean;
  firebase: ProviderSettings['firebase'];
  oidc: ProviderSettings['oidc'];
  billing: ProviderSettings['billing'];
  /** Bearer token for the metrics; null if only requests from this machine may read them. */
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
  /** Time without events after which a stream sends a heartbeat, ms. Also the interval of its session checks. */
  heartbeatMs: number;
  /**
   * Maximum time for which a health check waits for the database, ms. If the network to the database is broken, no answer ever
   * comes.
   */
  databaseMs: number;
}

export const DEFAULT_TIMING: Timing = {
  firstCheckMs: 5_000,
  previewMs: 22_000,
  heartbeatMs: 20_000,
  databaseMs: 3_000,
};
