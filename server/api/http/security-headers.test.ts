import { describe, expect, it } from 'vitest';
import { type HeaderSettings, securityHeaders } from './security-headers.ts';
import { promise } from '../../../tests/security/promise.ts';

const PLAIN: HeaderSettings = {
  publicUrl: new URL('https://certs.example.com'),
  firebase: null,
  oidc: [],
  billing: { mode: 'test' },
  analyticsId: null,
};
const FIREBASE = {
  projectId: 'lantern',
  apiKey: 'key',
  authDomain: 'lantern.firebaseapp.com',
  emulatorUrl: null,
};

function headersOf(settings: Partial<HeaderSettings>, path = '/dashboard') {
  const headers = new Headers();
  for (const [name, value] of securityHeaders({ ...PLAIN, ...settings })(path)) headers.set(name, value);
  const policy = new Map(
    (headers.get('content-security-policy') ?? '').split('; ').map((part) => {
      const [directive = '', ...sources] = part.split(' ');
      return [directive, sources];
    }),
  );
  return { policy, opener: headers.get('cross-origin-opener-policy'), headers };
}

describe('the security headers', () => {
  it('allow only the origin of the site if nothing else is configured', () => {
    for (const mode of ['test', 'none', 'unset'] as const) {
      const { policy, opener } = headersOf({ billing: { mode } });
      expect(Object.fromEntries(policy)).toEqual({
        'default-src': ["'none'"],
        'script-src': ["'self'"],
        'style-src': ["'self'", "'unsafe-inline'"],
        'img-src': ["'self'", 'data:'],
        'font-src': ["'self'"],
        'connect-src': ["'self'"],
        'worker-src': ["'self'"],
        'manifest-src': ["'self'"],
        'base-uri': ["'none'"],
        'form-action': ["'self'"],
        'frame-ancestors': ["'none'"],
      });
      expect(opener).toBe('same-origin');
    }
    promise('scripts');
  });

  it('allow the hosts of the configured Paddle environment, live or sandbox', () => {
    const paddle = (environment: 'live' | 'sandbox') =>
      headersOf({ billing: { mode: 'paddle', clientToken: 'token', environment } });
    const live = paddle('live');
    expect(live.policy.get('script-src')).toEqual(["'self'", 'https://cdn.paddle.com']);
    expect(live.policy.get('frame-src')).toEqual(['https://buy.paddle.com']);
    expect(live.policy.get('style-src')).toContain('https://cdn.paddle.com');
    expect(live.headers.get('content-security-policy')).not.toContain('sandbox');
    expect(live.opener).toBe('same-origin-allow-popups');

    const test = paddle('sandbox');
    expect(test.policy.get('script-src')).toEqual(["'self'", 'https://cdn.paddle.com']);
    expect(test.policy.get('frame-src')).toEqual(['https://sandbox-buy.paddle.com']);
    expect(test.policy.get('style-src')).toContain('https://sandbox-cdn.paddle.com');
    expect(test.policy.get('connect-src')).toEqual(["'self'", 'https://sandbox-checkout-service.paddle.com']);
  });

  it('allow the hosts of Firebase, or only its emulator if one is configured', () => {
    const real = headersOf({ firebase: FIREBASE });
    expect(real.policy.get('script-src')).toEqual(["'self'", 'https://apis.google.com']);
    expect(real.policy.get('frame-src')).toEqual(['https://lantern.firebaseapp.com']);
    expect(real.policy.get('connect-src')).toEqual([
      "'self'",
      'https://identitytoolkit.googleapis.com',
      'https://securetoken.googleapis.com',
    ]);
    expect(real.opener).toBe('same-origin-allow-popups');

    const emulatorUrl = 'http://127.0.0.1:9099';
    const emulated = headersOf({ firebase: { ...FIREBASE, emulatorUrl } });
    expect(emulated.policy.get('frame-src')).toEqual([emulatorUrl]);
    expect(emulated.policy.get('connect-src')).toEqual(["'self'", emulatorUrl]);
  });

  it('let the site close the sign-in popup of an OpenID provider, without allowing more origins', () => {
    const settings = { oidc: [{ id: 'acme', name: 'Acme' }] };
    const { policy, opener } = headersOf(settings);
    expect(policy).toEqual(headersOf({}).policy);
    expect(opener).toBe('same-origin-allow-popups');
    expect(headersOf(settings, '/signed-in').opener).toBe('unsafe-none');
    expect(headersOf(settings, '/signed-in').policy).toEqual(policy);
    expect(headersOf({}, '/signed-in').opener).toBe('same-origin');
  });

  it('allow the profile photos of Google accounts if Google is configured', () => {
    const { policy } = headersOf({ oidc: [{ id: 'google', name: 'Google' }] });
    expect(policy.get('img-src')).toContain('https://*.googleusercontent.com');
  });

  it('allow the hosts of Google Analytics if an analytics id is configured', () => {
    const { policy, opener } = headersOf({ analyticsId: 'G-ABC123DEF4' });
    expect(policy.get('script-src')).toEqual(["'self'", 'https://www.googletagmanager.com']);
    expect(policy.get('connect-src')).toContain('https://*.google-analytics.com');
    expect(policy.get('img-src')).toContain('https://*.google-analytics.com');
    expect(opener).toBe('same-origin');
  });

  it('never allow inline or evaluated scripts, whatever is configured', () => {
    const { policy } = headersOf({
      firebase: FIREBASE,
      oidc: [{ id: 'google', name: 'Google' }],
      billing: { mode: 'paddle', clientToken: 'live_abc', environment: 'live' },
      analyticsId: 'G-ABC123DEF4',
    });
    const script = policy.get('script-src') ?? [];
    expect(script).toHaveLength(4);
    expect(script.join(' ')).not.toMatch(/unsafe|data:|blob:|\*/);
    expect([...policy.keys()]).toHaveLength(new Set(policy.keys()).size);
    expect(policy.get('default-src')).toEqual(["'none'"]);
    promise('scripts');
  });
});
