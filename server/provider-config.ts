import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ConfigError } from './config-error.ts';
import type { FirebaseProject } from './providers/identity/firebase.ts';
import type { OidcClientConfig } from './providers/identity/oidc-client.ts';
import type { PaddleOptions } from './providers/payments/paddle.ts';

/** Returns the trimmed value of a variable, or null if it is not set or empty. */
type Read = (name: string) => string | null;

export interface FirebaseConfig extends FirebaseProject {
  apiKey: string;
  authDomain: string;
}

export interface OidcConfig extends OidcClientConfig {
  /** Id in the callback URL and in stored identities, so it must never change. */
  id: string;
  /** Name shown on the button "Sign In with …". */
  name: string;
}

export type BillingConfig =
  /** Payments are off and every account has Premium. */
  | { mode: 'none' }
  /** Plan limits apply but nothing is sold: no Paddle keys are set, and test mode would be open to the internet. */
  | { mode: 'unset' }
  | { mode: 'test' }
  | (Pick<PaddleOptions, 'apiKey' | 'apiUrl' | 'webhookSecret' | 'priceId'> & {
      mode: 'paddle';
      /** In the sandbox, test cards buy Premium without a charge. */
      environment: 'live' | 'sandbox';
      /** True if the token is a sandbox token but BILLING is not `sandbox`: it may have been left in by mistake. */
      isUnconfirmedSandbox: boolean;
      clientToken: string;
    });

/** Parses the FIREBASE_ variables. Returns null if the built-in identity provider is used. @throws ConfigError */
export function firebaseConfig(read: Read): FirebaseConfig | null {
  const projectId = read('FIREBASE_PROJECT_ID');
  if (projectId === null) return null;
  const emulator = read('FIREBASE_EMULATOR_URL');
  if (emulator !== null && !projectId.startsWith('demo-'))
    throw new ConfigError(
      'FIREBASE_EMULATOR_URL accepts tokens that nobody signed. Use it with a FIREBASE_PROJECT_ID that begins with “demo-”, or leave it out.',
    );
  return {
    projectId,
    apiKey: read('FIREBASE_API_KEY') ?? throwMissing('FIREBASE_API_KEY', 'FIREBASE_PROJECT_ID'),
    authDomain: hostOf(
      'FIREBASE_AUTH_DOMAIN',
      read('FIREBASE_AUTH_DOMAIN') ?? `${projectId}.firebaseapp.com`,
    ),
    emulatorUrl: emulator === null ? null : originOf('FIREBASE_EMULATOR_URL', emulator),
    serviceAccount: serviceAccount(read('FIREBASE_SERVICE_ACCOUNT_FILE')),
  };
}

/** Returns the OpenID Connect providers of the built-in sign-in. @throws ConfigError */
export function oidcConfig(read: Read): OidcConfig[] {
  const google = read('GOOGLE_CLIENT_ID');
  const issuer = read('OIDC_ISSUER');
  const providers: OidcConfig[] = [];
  if (google !== null)
    providers.push({
      id: 'google',
      name: 'Google',
      issuer: 'https://accounts.google.com',
      clientId: google,
      clientSecret: read('GOOGLE_CLIENT_SECRET') ?? throwMissing('GOOGLE_CLIENT_SECRET', 'GOOGLE_CLIENT_ID'),
    });
  if (issuer !== null) {
    providers.push({
      id: 'oidc',
      name: read('OIDC_NAME') ?? new URL(issuerAddress(issuer)).hostname,
      issuer,
      clientId: read('OIDC_CLIENT_ID') ?? throwMissing('OIDC_CLIENT_ID', 'OIDC_ISSUER'),
      clientSecret: read('OIDC_CLIENT_SECRET') ?? throwMissing('OIDC_CLIENT_SECRET', 'OIDC_ISSUER'),
    });
  }
  if (providers.length > 0 && read('FIREBASE_PROJECT_ID') !== null)
    throw new ConfigError(
      `${google === null ? 'OIDC_ISSUER' : 'GOOGLE_CLIENT_ID'} works only with the built-in provider. With FIREBASE_PROJECT_ID, set up providers in Firebase’s console.`,
    );
  return providers;
}

const PADDLE = ['PADDLE_API_KEY', 'PADDLE_CLIENT_TOKEN', 'PADDLE_WEBHOOK_SECRET', 'PADDLE_PRICE_ID'] as const;
const MODES = ['none', 'test', 'sandbox', 'paddle'];
/** Environment by prefix of the client-side token (developer.paddle.com/paddle-js/about/client-side-tokens). */
const ENVIRONMENT_OF_TOKEN = { live_: 'live', test_: 'sandbox' } as const;
/**
 * Environment by prefix of the API key. Keys from before May 2025 have none
 * (developer.paddle.com/api-reference/about/api-keys).
 */
const ENVIRONMENT_OF_KEY = { pdl_live_: 'live', pdl_sdbx_: 'sandbox' } as const;
const PADDLE_APIS = { live: 'https://api.paddle.com', sandbox: 'https://sandbox-api.paddle.com' };

/**
 * Parses BILLING and the PADDLE_ variables. Without BILLING, uses Paddle if any variable in `PADDLE` is set, else test mode on
 * a loopback address, else `unset`. @throws ConfigError
 */
export function billingConfig(read: Read, { isLoopback }: { isLoopback: boolean }): BillingConfig {
  const chosen = read('BILLING');
  if (chosen !== null && !MODES.includes(chosen))
    throw new ConfigError(`BILLING must be one of ${MODES.join(', ')}, but it is “${chosen}”.`);
  if (chosen === 'none' || chosen === 'test') return { mode: chosen };
  if (chosen === null && PADDLE.every((name) => read(name) === null))
    return { mode: isLoopback ? 'test' : 'unset' };
  const [apiKey, clientToken, webhookSecret, priceId] = PADDLE.map(
    (name) =>
      read(name) ?? throwMissing(name, chosen === null ? 'the other PADDLE_ variables' : `BILLING=${chosen}`),
  ) as [string, string, string, string];
  const environment = paddleEnvironment({ apiKey, clientToken });
  if (chosen === 'sandbox' && environment === 'live')
    throw new ConfigError(
      'BILLING=sandbox is for the keys of Paddle’s sandbox, but PADDLE_CLIENT_TOKEN is a live token, so people would be charged. If that is intended, set BILLING=paddle.',
    );
  if (chosen !== 'sandbox' && environment === 'sandbox' && !isLoopback)
    throw new ConfigError(
      'PADDLE_CLIENT_TOKEN belongs to Paddle’s sandbox, where test cards buy Premium and nobody is charged. Use the keys of your live account, or set BILLING=sandbox if this deployment is for tests.',
    );
  const ownApi = read('PADDLE_API_URL');
  return {
    mode: 'paddle',
    environment,
    isUnconfirmedSandbox: environment === 'sandbox' && chosen !== 'sandbox',
    apiKey,
    clientToken,
    webhookSecret,
    priceId,
    apiUrl: ownApi === null ? PADDLE_APIS[environment] : originOf('PADDLE_API_URL', ownApi),
  };
}

/**
 * Returns the environment of the token. @throws ConfigError if its prefix is unknown or the API key belongs to the
 * other environment; the error quotes neither value
 */
function paddleEnvironment({
  apiKey,
  clientToken,
}: {
  apiKey: string;
  clientToken: string;
}): 'live' | 'sandbox' {
  const environment = byPrefix(ENVIRONMENT_OF_TOKEN, clientToken);
  // Every browser receives this token, so make sure that it is not the secret key.
  if (environment === null)
    throw new ConfigError(
      'PADDLE_CLIENT_TOKEN must be a client-side token, which begins with live_ or test_.',
    );
  const keyEnvironment = byPrefix(ENVIRONMENT_OF_KEY, apiKey);
  if (keyEnvironment !== null && keyEnvironment !== environment)
    throw new ConfigError(
      `PADDLE_API_KEY belongs to Paddle’s ${keyEnvironment} account and PADDLE_CLIENT_TOKEN to the ${environment} one. Use keys from one account.`,
    );
  return environment;
}

function byPrefix<Value>(table: Readonly<Record<string, Value>>, text: string): Value | null {
  return Object.entries(table).find(([prefix]) => text.startsWith(prefix))?.[1] ?? null;
}

/** Returns the GA4 measurement id, or null if ANALYTICS_ID is not set. @throws ConfigError */
export function analyticsId(read: Read): string | null {
  const id = read('ANALYTICS_ID');
  if (id === null || /^G-[A-Z0-9]{4,20}$/.test(id)) return id;
  throw new ConfigError(`ANALYTICS_ID must be a GA4 measurement id like G-ABC123DEF4, but it is “${id}”.`);
}

function throwMissing(name: string, because: string): never {
  throw new ConfigError(`${name} is missing. It is required together with ${because}.`);
}

function originOf(name: string, value: string): string {
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '')
    throw new ConfigError(`${name} must be an address like https://login.example.com.`);
  return url.origin;
}

/**
 * Validates the URL of an issuer. Requires https except for loopback hosts, because the keys that verify tokens are
 * fetched from the issuer. @throws ConfigError
 */
function issuerAddress(value: string): string {
  const name = 'OIDC_ISSUER';
  const { protocol, hostname } = new URL(originOf(name, value));
  if (protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname)) return value;
  throw new ConfigError(`${name} must begin with https://, but it is “${value}”.`);
}

function hostOf(name: string, value: string): string {
  if (/^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i.test(value)) return value;
  throw new ConfigError(`${name} must be a host name like login.example.com, but it is “${value}”.`);
}

function serviceAccount(path: string | null): FirebaseConfig['serviceAccount'] {
  if (path === null) return null;
  const name = 'FIREBASE_SERVICE_ACCOUNT_FILE';
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'it is not JSON' : String(error);
    throw new ConfigError(`${name} cannot be read: ${reason}`, { cause: error });
  }
  const { client_email: clientEmail, private_key: privateKey } = (content ?? {}) as Record<string, unknown>;
  if (typeof clientEmail !== 'string' || typeof privateKey !== 'string')
    throw new ConfigError(
      `${name} must be a service account’s key in JSON, with client_email and private_key.`,
    );
  try {
    createPrivateKey(privateKey);
  } catch (error) {
    throw new ConfigError(`${name} has a private_key that cannot be read.`, { cause: error });
  }
  return { clientEmail, privateKey };
}
