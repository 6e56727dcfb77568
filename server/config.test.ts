import { describe, expect, it } from 'vitest';
import { ConfigError, parseConfig } from './config.ts';

describe('parseConfig', () => {
  it('needs nothing', () => {
    const config = parseConfig({});
    expect(config).toMatchObject({
      port: 8080,
      host: '127.0.0.1',
      databaseUrl: null,
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

  it('takes an empty value as not set', () => {
    expect(parseConfig({ PORT: '', DATABASE_URL: ' ', SMTP_URL: '' })).toMatchObject({
      port: 8080,
      databaseUrl: null,
      smtpUrl: null,
    });
  });

  it('reads lists', () => {
    const config = parseConfig({
      EGRESS_ALLOW_CIDRS: '127.0.0.0/8, ::1/128 10.1.2.3',
      DNS_SERVERS: '9.9.9.9,127.0.0.1:5353 [2620:fe::fe]:53',
    });
    expect(config.egressAllowCidrs).toEqual(['127.0.0.0/8', '::1/128', '10.1.2.3/32']);
    expect(config.dnsServers).toEqual(['9.9.9.9', '127.0.0.1:5353', '[2620:fe::fe]:53']);
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
    ['DNS_SERVERS', 'dns.example.com'],
    ['DNS_SERVERS', '127.0.0.1:99999'],
    ['CHECK_CONCURRENCY', '0'],
    ['SIGNUPS', 'maybe'],
    ['INSECURE_HTTP', 'sure'],
    ['LOG_LEVEL', 'loud'],
    ['SUPPORT_EMAIL', '@'],
    ['PRODUCT_NAME', 'Certs\nBcc: c@d'],
  ])('refuses %s=%s in one line that names the variable', (name, value) => {
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
    ['Acme Zertifikate', 'Acme Zertifikate <alerts@localhost>'],
    ['Acme, Inc.', '"Acme, Inc." <alerts@localhost>'],
    ['<a@b>, "c"', '"a@b, c" <alerts@localhost>'],
  ])('makes one sender of the product name %s', (PRODUCT_NAME, mailFrom) => {
    expect(parseConfig({ PRODUCT_NAME }).mailFrom).toBe(mailFrom);
  });

  it('keeps passwords out of its messages', () => {
    expect(() => parseConfig({ DATABASE_URL: 'mysql://u:hunter2@db/x' })).toThrow(/^(?!.*hunter2)/);
  });
});
