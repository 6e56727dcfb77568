import { beforeAll, describe, expect, it } from 'vitest';
import { prerenderLanding, prerenderLogin } from './prerender.tsx';

let pages: Map<string, string>;
beforeAll(async () => {
  pages = new Map([...(await prerenderLanding()), ...(await prerenderLogin())]);
});
const page = (file: string): string => pages.get(`${file}.html`) ?? '';
const text = (file: string): string =>
  page(file)
    .replaceAll(/<!--.*?-->|<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');

describe('the landing page as HTML', () => {
  it('has the headline, the features, the plans and the ways in', () => {
    const words = text('open-sold-try-it');
    for (const part of [
      '{{product_name}} : Never miss an SSL certificate expiry again.',
      'Key Features',
      'SSL Certificate Tracking',
      'Email Notifications',
      'Webhook Support Premium The same event',
      'Free Tier $0 Up to 3 certificates',
      'Get Started Free',
      'Premium Most Popular $4.99 per month',
      'Start Premium Trial',
      'Start Your Free Trial No credit card required • Setup in 2 minutes',
      'Terms of Use',
      'Privacy Policy',
    ])
      expect(words).toContain(part);
    expect(words).not.toContain('Coming Soon');
    expect(page('open-sold-try-it')).toContain('href="/signup?trial=1"');
  });

  it('has no script and names no day', () => {
    expect([...pages.values()].filter((html) => html.includes('<script'))).toEqual([]);
    expect(text('open-sold-try-it')).not.toMatch(/\b20\d\d\b/);
  });

  it('has no Premium where nothing is sold', () => {
    expect(text('open-unset-try-it')).toContain('Free Tier');
    expect(text('open-unset-try-it')).not.toMatch(/\$4\.99|trial/i);
  });

  it('has no prices where everybody has everything', () => {
    expect(text('open-none-try-it')).not.toMatch(/\$0|Pricing|Free for 3 domains|trial/i);
  });

  it('invites nobody where nobody can sign up', () => {
    for (const kind of ['closed-sold', 'closed-unset', 'closed-none']) {
      expect(page(kind)).not.toContain('href="/signup');
      expect(page(kind)).toContain('href="/login"');
      expect(text(kind)).not.toMatch(/\$4\.99|trial/i);
    }
  });

  it('says where the connection is not private', () => {
    expect(text('open-sold-try-it-insecure')).toContain('plain http');
    expect(text('open-sold-try-it')).not.toContain('plain http');
  });
});

describe('the login page as HTML', () => {
  it('has the form, which nobody can send yet, and the ways on', () => {
    const words = text('login');
    for (const part of ['Email', 'Password', 'Forgot password?', 'New user? Sign up', 'Terms of Service'])
      expect(words).toContain(part);
    expect(page('login')).toMatch(/<button type="submit" disabled=""/);
  });

  it('invites nobody where nobody can sign up, and says where the connection is not private', () => {
    expect(page('login-closed')).not.toContain('href="/signup');
    expect(text('login-insecure')).toContain('plain http');
  });

  it('leaves no part of any page to the browser that was meant to be here', () => {
    for (const html of pages.values()) expect(html).not.toContain('<!--$!-->');
  });
});
