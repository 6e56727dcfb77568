import { beforeAll, describe, expect, it } from 'vitest';
import { prerenderLanding, prerenderLogin, prerenderSkeleton } from './prerender.tsx';

let pages: Map<string, string>;
beforeAll(async () => {
  pages = new Map([...prerenderLanding(), ...(await prerenderLogin())]);
});
const page = (file: string): string => pages.get(`${file}.html`) ?? '';
const text = (file: string): string =>
  page(file)
    .replaceAll(/<!--.*?-->|<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');

describe('the prerendered landing page', () => {
  it('has the headline, the features, the plans and the sign-up links', () => {
    const words = text('open-sold-try-it');
    for (const part of [
      '{{product_name}} : Never miss an SSL certificate expiry again.',
      'Key Features',
      'SSL Certificate Tracking',
      'Email Notifications',
      'Webhook Support Premium Every alert',
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

  it('contains no script, and no dates apart from those of the lifetime limits', () => {
    expect([...pages.values()].filter((html) => html.includes('<script'))).toEqual([]);
    // The months of the lifetime limits are fixed facts: they do not depend on the day of the build.
    const limits = /(?:until|since|from) March 20\d\d/g;
    expect(text('open-sold-try-it').replaceAll(limits, '')).not.toMatch(/\b20\d\d\b/);
  });

  it('does not offer Premium if nothing is sold', () => {
    expect(text('open-unset-try-it')).toContain('Free Tier');
    expect(text('open-unset-try-it')).not.toMatch(/\$4\.99|trial/i);
  });

  it('has no prices if there are no plans', () => {
    expect(text('open-none-try-it')).not.toMatch(/\$0|Pricing|Free for 3 domains|trial/i);
  });

  it('has no sign-up links if sign-up is closed', () => {
    for (const kind of ['closed-sold', 'closed-unset', 'closed-none']) {
      expect(page(kind)).not.toContain('href="/signup');
      expect(page(kind)).toContain('href="/login"');
      expect(text(kind)).not.toMatch(/\$4\.99|trial/i);
    }
  });

  it('warns about plain HTTP', () => {
    expect(text('open-sold-try-it-insecure')).toContain('plain HTTP');
    expect(text('open-sold-try-it')).not.toContain('plain HTTP');
  });
});

describe('the skeleton of the dashboard', () => {
  it('has a header with the product name, a main part with a heading, and no controls', () => {
    expect(prerenderSkeleton()).toMatch(
      /<header .*{{product_name}}.*<\/header><main .*<h1 .*Domains<\/h1>.*<\/main>/s,
    );
    expect(prerenderSkeleton()).not.toMatch(/<(?:a|button|input)\b/);
  });
});

describe('the prerendered login page', () => {
  it('has the form, disabled until hydration, and the links', () => {
    const words = text('login');
    for (const part of ['Email', 'Password', 'Forgot password?', 'New user? Sign up', 'Terms of Service'])
      expect(words).toContain(part);
    expect(page('login')).toMatch(/<button type="submit" disabled=""/);
  });

  it('says that sign-up is by invitation instead of showing a sign-up link', () => {
    expect(text('login-invite')).toContain('Sign-up is by invitation.');
    expect(page('login-invite')).not.toContain('href="/signup');
  });

  it('has no sign-up link if sign-up is closed, and warns about plain HTTP', () => {
    expect(page('login-closed')).not.toContain('href="/signup');
    expect(text('login-insecure')).toContain('plain HTTP');
  });

  it('has no unresolved Suspense boundary, like every prerendered page', () => {
    for (const html of pages.values()) expect(html).not.toContain('<!--$!-->');
  });
});
