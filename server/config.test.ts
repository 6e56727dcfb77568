import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ConfigError } from './config-error.ts';
import { parseConfig } from './config.ts';
import { UNCONFIRMED_DOMAIN_LIMIT } from '../contract/words.ts';
import { logListJson, mintLog } from '../tests/kit/certificates/mint-log.ts';
import { LIMITS } from './core/limits.ts';
import { logListWarnings } from './log-list-config.ts';

describe('parseConfig', () => {
  it('has defaults for all settings', () => {
    const config = parseConfig({});
    expect(config).toMatchObject({
      port: 8080,
      host: '127.0.0.1',
      databaseUrl: null,
      databaseReplicaUrl: null,
      role: 'all',
      smtpUrl: null,
      mailFrom: 'Certlantern <alerts@localhost>',
      signups: 'open',
      publicUrlIsDefault: true,
      insecureHttp: false,
      productName: 'Certlantern',
    });
    expect(config.publicUrl.origin).toBe('http://localhost:8080');
    expect(config.dataDir).toMatch(/[\\/]data$/);
  });

  it('treats an empty value as not set', () => {
    expect(parseConfig({ PORT: '', DATABASE_URL: ' ', SMTP_URL: '' })).toMatchObject({
      port: 8080,
      databaseUrl: null,
      smtpUrl: null,
    });
  });

  it('reads lists separated by commas or spaces', () => {
    const config = parseConfig({
      EGRESS_ALLOW_CIDRS: '127.0.0.0/8, ::1/128 10.1.2.3',
      DNS_SERVERS: '9.9.9.9,127.0.0.1:5353 [2620:fe::fe]:53',
      EHLO_NAME: '[IPv6:2620:fe::fe]',
    });
    expect(config.egressAllowCidrs).toEqual(['127.0.0.0/8', '::1/128', '10.1.2.3/32']);
    expect(config.dnsServers).toEqual(['9.9.9.9', '127.0.0.1:5353', '[2620:fe::fe]:53']);
    expect(config.ehloName).toBe('[IPv6:2620:fe::fe]');
  });

  it.each([
    ['PORT', '80a'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PUBLIC_URL', 'certs.example.com'],
    ['PUBLIC_URL', 'ftp://certs.example.com'],
    ['PUBLIC_URL', 'https://certs.example.com/app'],
    ['DATABASE_URL', 'mysql://localhost/certs'],
    ['ROLE', 'boss'],
    ['ROLE', 'worker'],
    ['SMTP_URL', 'http://mail.example.com'],
    ['MAIL_FROM', 'nobody'],
    ['MAIL_FROM', 'a@b\nBcc: c@d'],
    ['EGRESS_ALLOW_CIDRS', '10.0.0.0/33'],
    ['EGRESS_ALLOW_CIDRS', '10.0.0'],
    ['TRUSTED_PROXIES', 'proxy.example.com'],
    ['EXTRA_CA_FILE', '/no/such/file.pem'],
    ['CT_LOG_LIST', '/no/such/list.json'],
    ['APPLE_LOG_LIST', import.meta.filename],
    ['DNS_SERVERS', 'dns.example.com'],
    ['EHLO_NAME', 'two words'],
    ['EHLO_NAME', 'a.example\r\nMAIL FROM:<a@b>'],
    ['DNS_SERVERS', '127.0.0.1:99999'],
    ['CHECK_CONCURRENCY', '0'],
    ['SIGNUPS', 'maybe'],
    ['TRY_IT', 'true'],
    ['FORECAST', 'no'],
    ['HOSTS_FILE', 'true'],
    ['HOSTS_FILE', 'etc/hosts'],
    ['CHANNEL_ALLOW_CIDRS', '10.0.0.0/33'],
    ['CHANNEL_ALLOW_CIDRS', 'none, 10.0.0.0/8'],
    ['INSECURE_HTTP', 'sure'],
    ['LOG_LEVEL', 'loud'],
    ['SUPPORT_EMAIL', '@'],
    ['PRODUCT_NAME', 'Certs\nBcc: c@d'],
    ['CANARY_HOSTS', 'a.example'],
    ['CANARY_HOSTS', 'a.example b.example'],
    ['CANARY_HOSTS', 'a.example, b.example, A.example'],
    ['CANARY_HOSTS', 'a.example b.example https://c.example'],
    ['CANARY_HOSTS', 'a.example b.example c.example:0'],
    ['HEARTBEAT_URL', 'ftp://heartbeat.example/abc'],
    ['METRICS_TOKEN', 'short'],
    ['BOUNCE_ADDRESS', 'a+b@c.example'],
    ['BOUNCE_MAILBOX', 'imaps://u:p@mail.example'],
  ])('refuses %s with the value %j; the message is one line that names the variable', (name, value) => {
    let message = '';
    try {
      parseConfig({ [name]: value });
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      message = String(error);
    }
    expect(message).toContain(name);
    expect(message.replace(value, '')).not.toContain('\n');
  });

  it.each([
    ['SMTP_URL', 'smtp://u:hunter2@mail.example?tls=optional'],
    ['SMTP_URL', 'smtp://u:hunter2@mail.example?tls=opportunistic&name=x'],
    ['SMTP_URL', 'smtp://u:hunter2@mail.example?ignoreTLS=true'],
    ['SMTP_URL', 'smtp://u:hunter2@mail.example/?tls.rejectUnauthorized=false'],
    ['SMTP_URL', 'smtps://u:hunter2@mail.example?tls=opportunistic'],
    ['BOUNCE_MAILBOX', 'imap://u:hunter2@mail.example/INBOX?doSTARTTLS=false'],
    ['BOUNCE_MAILBOX', 'imaps://u:hunter2@mail.example?tls=opportunistic'],
  ])('refuses an option of %s that is unknown or has no effect there', (name, address) => {
    const parse = () => parseConfig({ [name]: address, BOUNCE_ADDRESS: 'bounces@example.com' });
    expect(parse).toThrow(ConfigError);
    expect(parse).toThrow(new RegExp(`^${name} accepts only the option \\?tls=opportunistic(?!.*hunter2)`));
  });

  it('accepts mail servers with tls=opportunistic', () => {
    const SMTP_URL = 'smtp://u:p@mail.example:587?tls=opportunistic';
    const BOUNCE_MAILBOX = 'imap://u:p@mail.example/INBOX?tls=opportunistic';
    expect(parseConfig({ SMTP_URL, BOUNCE_MAILBOX, BOUNCE_ADDRESS: 'bounces@example.com' })).toMatchObject({
      smtpUrl: SMTP_URL,
      bounces: { mailbox: BOUNCE_MAILBOX },
    });
  });

  it.each([
    ['Acme Zertifikate', 'Acme Zertifikate <alerts@localhost>'],
    ['Acme, Inc.', '"Acme, Inc." <alerts@localhost>'],
    ['<a@b>, "c"', '"a@b, c" <alerts@localhost>'],
  ])('creates a single sender address from the product name %s', (PRODUCT_NAME, mailFrom) => {
    expect(parseConfig({ PRODUCT_NAME }).mailFrom).toBe(mailFrom);
  });

  it('reads the lists of Certificate Transparency logs', () => {
    const folder = mkdtempSync(join(tmpdir(), 'certlantern-test-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const CT_LOG_LIST = join(folder, 'log_list.json');
    writeFileSync(CT_LOG_LIST, logListJson([mintLog('Fjord')], Date.UTC(2026, 0)));
    const { logLists } = parseConfig({ CT_LOG_LIST, APPLE_LOG_LIST: 'off' });
    expect(logLists).toMatchObject({ google: { asOf: Date.UTC(2026, 0) }, apple: 'off' });
    expect(logLists.google).toMatchObject({ logs: { size: 1 } });
  });

  it('fetches the lists of Certificate Transparency logs from Google and Apple by default', () => {
    expect(parseConfig({}).logLists).toEqual({
      google: new URL('https://www.gstatic.com/ct/log_list/v3/log_list.json'),
      apple: new URL('https://valid.apple.com/ct/log_list/current_log_list.json'),
    });
  });

  it('fetches a list of Certificate Transparency logs from another address with https only', () => {
    const APPLE_LOG_LIST = 'https://lists.example:8443/apple.json?a=b';
    expect(parseConfig({ APPLE_LOG_LIST }).logLists.apple).toEqual(new URL(APPLE_LOG_LIST));
    for (const CT_LOG_LIST of [
      'http://lists.example/a',
      'https://a:b@lists.example/a',
      'https://',
      'ftp://a',
    ])
      expect(() => parseConfig({ CT_LOG_LIST })).toThrow('CT_LOG_LIST must be an https:// address');
  });

  it('warns of a list of Certificate Transparency logs that is 70 days old', () => {
    const google = { asOf: Date.UTC(2026, 0, 1, 12), logs: new Map() };
    const end = Date.UTC(2026, 0, 1 + 70, 12);
    expect(logListWarnings({ google, apple: 'off' }, end - 1)).toEqual([]);
    expect(logListWarnings({ google: 'off', apple: { ...google, asOf: end } }, end)).toEqual([]);
    expect(logListWarnings({ google, apple: google }, end)).toEqual([
      'CT_LOG_LIST is not used: the list is of 2026-01-01. Download it again.',
      'APPLE_LOG_LIST is not used: the list is of 2026-01-01. Download it again.',
    ]);
  });

  it('accepts canary hosts with and without ports, a heartbeat URL, a metrics token and a bounce mailbox', () => {
    const config = parseConfig({
      CANARY_HOSTS: 'www.example.com, 192.0.2.1:8443 [2001:db8::1] A.example a.example:443',
      HEARTBEAT_URL: 'https://heartbeat.example/ping/abc',
      METRICS_TOKEN: '0123456789abcdef',
      BOUNCE_ADDRESS: 'bounces@example.com',
      BOUNCE_MAILBOX: 'imaps://user:secret@mail.example.com',
    });
    expect(config.canaryHosts).toEqual([
      { host: 'www.example.com', port: 443 },
      { host: '192.0.2.1', port: 8443 },
      { host: '2001:db8::1', port: 443 },
      { host: 'a.example', port: 443 },
    ]);
    expect(config).toMatchObject({
      metricsToken: '0123456789abcdef',
      bounces: { address: 'bounces@example.com', mailbox: 'imaps://user:secret@mail.example.com' },
    });
    expect(config.heartbeatUrl?.pathname).toBe('/ping/abc');
    expect(parseConfig({})).toMatchObject({
      canaryHosts: [],
      heartbeatUrl: null,
      metricsToken: null,
      bounces: null,
    });
  });

  it('keeps passwords out of its error messages', () => {
    expect(() => parseConfig({ HEARTBEAT_URL: 'hunter2' })).toThrow(/^(?!.*hunter2)/);
    expect(() => parseConfig({ METRICS_TOKEN: 'hunter2' })).toThrow(/^(?!.*hunter2)/);
    expect(() =>
      parseConfig({ BOUNCE_ADDRESS: 'b@c.example', BOUNCE_MAILBOX: 'http://u:hunter2@mail' }),
    ).toThrow(/^(?!.*hunter2)/);
    expect(() => parseConfig({ DATABASE_URL: 'mysql://u:hunter2@db/x' })).toThrow(/^(?!.*hunter2)/);
  });
});

const FIREBASE = { FIREBASE_PROJECT_ID: 'lantern', FIREBASE_API_KEY: 'AIza-key' };
const OIDC = {
  OIDC_ISSUER: 'https://login.example.com/realms/acme',
  OIDC_CLIENT_ID: 'id',
  OIDC_CLIENT_SECRET: 's',
};

describe('the settings of sign-in and analytics', () => {
  it('are off by default', () => {
    expect(parseConfig({})).toMatchObject({ firebase: null, oidc: [], analyticsId: null });
  });

  it('include Firebase if a project and an API key are set', () => {
    expect(parseConfig(FIREBASE).firebase).toEqual({
      projectId: 'lantern',
      apiKey: 'AIza-key',
      authDomain: 'lantern.firebaseapp.com',
      emulatorUrl: null,
      serviceAccount: null,
    });
    const more = { FIREBASE_AUTH_DOMAIN: 'login.example.com', FIREBASE_PROJECT_ID: 'demo-lantern' };
    expect(
      parseConfig({ ...FIREBASE, ...more, FIREBASE_EMULATOR_URL: 'http://127.0.0.1:9099/' }).firebase,
    ).toMatchObject({ authDomain: 'login.example.com', emulatorUrl: 'http://127.0.0.1:9099' });
  });

  it('include Google and another OpenID provider if both are configured', () => {
    const google = { GOOGLE_CLIENT_ID: 'g-id', GOOGLE_CLIENT_SECRET: 'g-secret' };
    expect(parseConfig({ ...google, ...OIDC }).oidc).toEqual([
      {
        id: 'google',
        name: 'Google',
        issuer: 'https://accounts.google.com',
        clientId: 'g-id',
        clientSecret: 'g-secret',
      },
      {
        id: 'oidc',
        name: 'login.example.com',
        issuer: 'https://login.example.com/realms/acme',
        clientId: 'id',
        clientSecret: 's',
      },
    ]);
    expect(parseConfig({ ...OIDC, OIDC_NAME: 'Acme' }).oidc[0]?.name).toBe('Acme');
    expect(parseConfig({ ...OIDC, OIDC_ISSUER: 'http://127.0.0.1:4000' }).oidc).toHaveLength(1);
  });

  it('read the key of a service account from its file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'certlantern-config-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const FIREBASE_SERVICE_ACCOUNT_FILE = join(folder, 'account.json');
    const read = (content: string) => {
      writeFileSync(FIREBASE_SERVICE_ACCOUNT_FILE, content);
      return () => parseConfig({ ...FIREBASE, FIREBASE_SERVICE_ACCOUNT_FILE }).firebase?.serviceAccount;
    };
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' });
    expect(read(JSON.stringify({ client_email: 'a@example.com', private_key }))()).toEqual({
      clientEmail: 'a@example.com',
      privateKey: private_key,
    });
    const secret = 'hunter2';
    for (const content of [
      secret,
      'null',
      `{"client_email":"a@example.com","key":"${secret}"}`,
      `{"client_email":"a@example.com","private_key":"${secret}"}`,
    ])
      expect(read(content)).toThrow(/^FIREBASE_SERVICE_ACCOUNT_FILE (?!.*hunter2)/);
  });

  it.each([
    ['FIREBASE_API_KEY', { FIREBASE_PROJECT_ID: 'lantern' }],
    // An emulator does not sign its tokens, so they must never be accepted for a project that could be real.
    ['FIREBASE_EMULATOR_URL', { ...FIREBASE, FIREBASE_EMULATOR_URL: 'http://127.0.0.1:9099' }],
    ['FIREBASE_EMULATOR_URL', { ...FIREBASE, FIREBASE_PROJECT_ID: 'demo-x', FIREBASE_EMULATOR_URL: 'x:y' }],
    ['FIREBASE_AUTH_DOMAIN', { ...FIREBASE, FIREBASE_AUTH_DOMAIN: 'https://login.example.com' }],
    ['FIREBASE_AUTH_DOMAIN', { ...FIREBASE, FIREBASE_AUTH_DOMAIN: "x.example 'unsafe-inline'" }],
    ['FIREBASE_SERVICE_ACCOUNT_FILE', { ...FIREBASE, FIREBASE_SERVICE_ACCOUNT_FILE: '/no/such/file' }],
    ['GOOGLE_CLIENT_SECRET', { GOOGLE_CLIENT_ID: 'id' }],
    ['OIDC_CLIENT_ID', { ...OIDC, OIDC_CLIENT_ID: '' }],
    ['OIDC_CLIENT_SECRET', { ...OIDC, OIDC_CLIENT_SECRET: '' }],
    ['OIDC_ISSUER', { ...OIDC, OIDC_ISSUER: 'login.example.com' }],
    ['OIDC_ISSUER', { ...OIDC, OIDC_ISSUER: 'http://login.example.com' }],
    ['OIDC_ISSUER', { ...OIDC, OIDC_ISSUER: 'https://user:secret@login.example.com' }],
    ['OIDC_ISSUER', { ...FIREBASE, ...OIDC }],
    ['GOOGLE_CLIENT_ID', { ...FIREBASE, GOOGLE_CLIENT_ID: 'id', GOOGLE_CLIENT_SECRET: 's' }],
    ['ANALYTICS_ID', { ANALYTICS_ID: 'UA-12345-6' }],
    ['ANALYTICS_ID', { ANALYTICS_ID: "G-ABC' https://x.example" }],
  ])('are refused if %s is missing, invalid or in conflict with Firebase', (name, environment) => {
    expect(() => parseConfig(environment)).toThrow(ConfigError);
    expect(() => parseConfig(environment)).toThrow(new RegExp(`^${name} [^\\n]+$`));
  });

  it('include analytics if an id is set', () => {
    expect(parseConfig({ ANALYTICS_ID: 'G-ABC123DEF4' }).analyticsId).toBe('G-ABC123DEF4');
  });
});

describe('the settings of Paddle', () => {
  const keys = (key: string, token: string) => ({
    PADDLE_API_KEY: key,
    PADDLE_CLIENT_TOKEN: token,
    PADDLE_WEBHOOK_SECRET: 'pdl_ntfset_secret',
    PADDLE_PRICE_ID: 'pri_1',
  });
  const SANDBOX = keys('pdl_sdbx_apikey_hunter2', 'test_token');
  const LIVE = keys('pdl_live_apikey_hunter2', 'live_token');
  const PUBLIC_URL = 'https://certs.example.com';

  it.each([
    [
      SANDBOX,
      { environment: 'sandbox', isUnconfirmedSandbox: true, apiUrl: 'https://sandbox-api.paddle.com' },
    ],
    [
      { ...SANDBOX, BILLING: 'paddle' },
      { environment: 'sandbox', isUnconfirmedSandbox: true },
    ],
    [
      { ...SANDBOX, BILLING: 'sandbox' },
      { environment: 'sandbox', isUnconfirmedSandbox: false },
    ],
    [
      { ...SANDBOX, BILLING: 'sandbox', PUBLIC_URL },
      { environment: 'sandbox', isUnconfirmedSandbox: false },
    ],
    [LIVE, { environment: 'live', isUnconfirmedSandbox: false, apiUrl: 'https://api.paddle.com' }],
    [
      { ...LIVE, PUBLIC_URL },
      { environment: 'live', isUnconfirmedSandbox: false },
    ],
    // Keys from before May 2025 do not say which environment they belong to.
    [{ ...LIVE, PADDLE_API_KEY: '0123456789abcdef' }, { environment: 'live' }],
    [{ ...SANDBOX, PADDLE_API_KEY: '0123456789abcdef' }, { environment: 'sandbox' }],
  ])('are parsed from %j to %j', (environment, expected) => {
    expect(parseConfig(environment).billing).toMatchObject({ mode: 'paddle', ...expected });
  });

  it.each([
    ['PADDLE_CLIENT_TOKEN', { ...SANDBOX, PUBLIC_URL }],
    ['PADDLE_CLIENT_TOKEN', { ...SANDBOX, PUBLIC_URL, BILLING: 'paddle' }],
    ['PADDLE_CLIENT_TOKEN', { ...SANDBOX, PUBLIC_URL: 'http://192.168.0.2:8080' }],
    ['BILLING', { ...LIVE, BILLING: 'sandbox' }],
    ['BILLING', { BILLING: 'Sandbox' }],
    ['PADDLE_API_KEY', { BILLING: 'sandbox' }],
    ['PADDLE_API_KEY', { ...LIVE, PADDLE_API_KEY: SANDBOX.PADDLE_API_KEY }],
    ['PADDLE_API_KEY', { ...SANDBOX, PADDLE_API_KEY: LIVE.PADDLE_API_KEY, BILLING: 'sandbox' }],
    // Every browser receives this token, so it must not be a secret key.
    ['PADDLE_CLIENT_TOKEN', { ...LIVE, PADDLE_CLIENT_TOKEN: LIVE.PADDLE_API_KEY }],
  ])('are refused if %s is invalid or belongs to another Paddle environment', (name, environment) => {
    expect(() => parseConfig(environment)).toThrow(ConfigError);
    expect(() => parseConfig(environment)).toThrow(new RegExp(`^${name}(?!.*hunter2)[^\\n]+$`));
  });
});

describe('the limits for visitors and unverified accounts', () => {
  it('give unverified accounts the domain limit that the page shows', () => {
    expect(LIMITS.domainsBeforeProof.standard).toBe(UNCONFIRMED_DOMAIN_LIMIT);
  });

  const example = readFileSync(join(import.meta.dirname, '..', '.env.example'), 'utf8');
  const shown = [...example.matchAll(/^#(LIMIT_\w+)=(\d+)$/gm)].map(([, name, value]) => [
    name,
    Number(value),
  ]);

  it('are exactly the limits that .env.example lists, with the same defaults', () => {
    expect(Object.fromEntries(shown)).toEqual(
      Object.fromEntries(Object.values(LIMITS).map(({ setting, standard }) => [setting, standard])),
    );
  });

  it.each(Object.entries(LIMITS))(
    'let a variable set %s, but refuse values above its maximum',
    (name, { setting, min, max }) => {
      expect(parseConfig({ [setting]: String(min) }).limits).toMatchObject({ [name]: min });
      expect(() => parseConfig({ [setting]: String(max + 1) })).toThrow(setting);
    },
  );
});
