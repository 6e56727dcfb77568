import { join, resolve } from 'node:path';
import { createApp } from './api/app.ts';
import { createIdentityEvents } from './api/auth/identity-events.ts';
import { connectTestMode } from './api/billing/payment-webhook.ts';
import { createConnectionLimit } from './api/http/open-connections.ts';
import { refusePlainHttp } from './api/http/own-origin.ts';
import type { Config } from './config.ts';
import type { AddressPolicy } from './egress/address-policy.ts';
import { createResolver } from './egress/resolver.ts';
import { createIdentityProvider } from './providers/identity/built-in.ts';
import { createFirebaseIdentity } from './providers/identity/firebase.ts';
import { signUpPolicy } from './providers/identity/invite.ts';
import { createPayments } from './providers/payments/create-payments.ts';
import { isTestSubscription } from './providers/payments/test-mode.ts';
import { hasPlaces } from './probe/places.ts';
import type { SharedParts } from './start-worker.ts';
import { endTestSubscriptions } from './store/billing/subscriptions.ts';
import { systemClock } from './worker/clock.ts';
import { createAlarms } from './worker/operator-alarm.ts';

/** Maximum time in ms for which adding a host waits for our name servers. */
const DNS_TIMEOUT_MS = 1_000;

/** Creates the API's app, and the text to print once it is served at `port`. `warning`: for the operator, or null. */
export async function startApi(
  parts: SharedParts,
  { port, warning }: { port: number; warning: string | null },
): Promise<{
  app: ReturnType<typeof createApp>;
  admits: ReturnType<typeof createConnectionLimit>;
  startMessage: string;
}> {
  const { config, secrets, store, log } = parts;
  const { publicUrl } = config;
  const identity =
    config.firebase === null
      ? createIdentityProvider({
          database: store.identityDatabase,
          secret: secrets.identity,
          publicUrl,
          productName: config.productName,
          events: createIdentityEvents({ store, publicUrl, clock: systemClock }),
          oidc: {
            providers: config.oidc,
            maySignUp: signUpPolicy({
              signups: config.signups,
              secret: secrets.invite,
              now: () => systemClock.now(),
            }),
          },
          log,
        })
      : createFirebaseIdentity({ config: config.firebase, log });
  if (config.billing.mode !== 'test')
    await endTestSubscriptions(store, { isTest: isTestSubscription, now: systemClock.now() });
  const alarms = createAlarms({ store, clock: systemClock, log });
  if (config.billing.mode === 'paddle' && config.billing.isUnconfirmedSandbox)
    await alarms.raise(
      'paddle_sandbox',
      'PADDLE_CLIENT_TOKEN belongs to Paddle’s sandbox: test cards buy Premium, and nobody is charged.',
    );
  else await alarms.clear('paddle_sandbox');
  const payments = await createPayments(config.billing, {
    clock: systemClock,
    test: { publicUrl, ...connectTestMode({ store, sessionSecret: secrets.session, app: () => app }) },
  });
  const resolver = createResolver({
    servers: config.dnsServers,
    policy: parts.policy,
    hostsFile: parts.hostsFile,
    timeoutMs: DNS_TIMEOUT_MS,
  });
  const policy: AddressPolicy = {
    ...parts.policy,
    permits: (ip) => {
      // `permits` cannot wait for the DNS query that finds the NAT64 prefixes, so it only starts the query. The page checks an address
      // while a person types it, so the prefixes are usually known when the person adds the address.
      void resolver.learnNat64([ip]);
      return parts.policy.permits(ip);
    },
  };
  const app: ReturnType<typeof createApp> = createApp({
    ...parts,
    policy,
    identity,
    payments,
    clock: systemClock,
    requestLog: log,
    webRoot: resolve(import.meta.dirname, '..', 'dist', 'web'),
    isInDns: (endpoint) => hasPlaces(endpoint, { resolver, signal: AbortSignal.timeout(DNS_TIMEOUT_MS) }),
    mailFolder: config.smtpUrl === null ? join(config.dataDir, 'mail') : null,
  });
  const mailPage = new URL(`/dev/mail?key=${secrets.mailPage}`, `http://localhost:${port}`);
  const startMessage = startupMessage({
    config,
    mailPage,
    warning,
    obstacle: refusePlainHttp(undefined, config)?.detail ?? null,
  });
  return { app, admits: createConnectionLimit(parts), startMessage };
}

/** Returns the text printed once the server is ready: its URL, where mail goes, and how to start the demo. */
function startupMessage(options: {
  config: Pick<Config, 'productName' | 'publicUrl' | 'billing' | 'smtpUrl'>;
  /** URL of the page that shows mail while there is no SMTP server. */
  mailPage: URL;
  /** Warning for the operator, or null. */
  warning: string | null;
  /** Reason why the server is not usable yet; null if it is usable. */
  obstacle: string | null;
}): string {
  const { mailPage, warning, obstacle } = options;
  const { productName, publicUrl, billing, smtpUrl } = options.config;
  const lines = [
    '',
    `  ${productName} is ready at ${publicUrl.origin}`,
    smtpUrl === null
      ? `  Mail is captured here until SMTP_URL is set: ${mailPage.href}`
      : `  Mail is sent through ${mailServer(new URL(smtpUrl))}`,
    PAYMENTS[billing.mode === 'paddle' ? billing.environment : billing.mode],
    warning && `  Warning: ${warning}`,
    '  To try it with example domains and without a network: npm run demo',
    obstacle && `  Not usable yet: ${obstacle}`,
    '',
  ];
  return lines.filter((line) => line !== null).join('\n');
}

/** Returns the host and port of SMTP_URL, without the user name and password. Default ports: those of nodemailer. */
function mailServer({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port || (protocol === 'smtps:' ? '465' : '587')}`;
}

const PAYMENTS = {
  none: null,
  live: null,
  sandbox:
    '  Payments: Paddle’s sandbox. Test cards buy Premium, and nobody is charged. To sell: docs/guides/sell.md',
  test: '  Payments: test mode, no money moves. To sell: docs/guides/sell.md',
  unset:
    '  Payments: none, so nobody can buy Premium. Set the PADDLE_ variables (docs/guides/sell.md), or BILLING=none to give Premium to everybody',
} as const;
