import { Link, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { usePublicConfig } from '../../lib/public-config.ts';
import { Wordmark } from '../../ui/logo.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { LazyThemeMenu } from '../../ui/lazy-theme-menu.tsx';
import { PrivacyText } from './privacy-text.tsx';
import { RefundText } from './refund-text.tsx';

export function TermsPage() {
  return <LegalPage title="Terms of Use" start="terms" />;
}

export function PrivacyPage() {
  return <LegalPage title="Privacy Policy" start="privacy" />;
}

/** One page for all addresses; each starts at its own part unless the address names another. */
function LegalPage({ title, start }: { title: string; start: 'terms' | 'privacy' }) {
  usePageTitle(title);
  const { product_name: productName, support_email: supportEmail, try_it: hasTryIt } = usePublicConfig();
  const router = useRouter();
  useEffect(() => {
    if (window.location.hash !== '' || start === 'terms') return undefined;
    const scroll = (): void => document.getElementById(start)?.scrollIntoView();
    scroll();
    // The router scrolls to the top after it has rendered the page, so scroll again after that.
    return router.subscribe('onRendered', scroll);
  }, [start, router]);

  const contact = supportEmail ? (
    <a href={`mailto:${supportEmail}`} className="link">
      {supportEmail}
    </a>
  ) : (
    'whoever runs this server'
  );

  return (
    <>
      <header className="sticky top-0 z-20 border-b border-line bg-surface">
        <div className="wrap flex h-[55px] items-center md:h-[59px]">
          <Link to="/" className="flex items-center rounded-3 no-underline max-md:min-h-11">
            <Wordmark name={productName} />
          </Link>
          <span className="flex-1" />
          <LazyThemeMenu />
        </div>
      </header>
      <main className="wrap max-w-[776px] pt-9 pb-20">
        <h1 tabIndex={-1} className="text-[26px]/8 font-bold tracking-[-.026em] md:text-section">
          Terms, privacy and refunds
        </h1>
        <p className="num mt-2 text-fg-3">January 2025</p>
        <nav aria-label="On this page" className="mt-5 flex flex-wrap gap-x-5">
          {[
            ['#terms', 'Terms of Use'],
            ['#privacy', 'Privacy Policy'],
            ['#refund', 'Refunds'],
          ].map(([href, label]) => (
            <a key={href} href={href} className="link inline-flex min-h-11 items-center">
              {label}
            </a>
          ))}
        </nav>

        <Part id="terms" title="Terms of Use">
          <p>
            {productName} reads the TLS certificates of the hosts you add and tells you before they expire
            {hasTryIt && '; without an account it looks at one host at a time, on the first page'}. It is
            meant for hosts that you run or may look at. Reading a certificate is one ordinary connection, as
            any visitor makes.
          </p>
          <p>
            You need an account with a working email address. Keep your password to yourself. You can delete
            the account in your profile at any time.
          </p>
          <p>
            Do not use it to load, map or disturb systems of others, and do not work around its limits.
            Accounts that do may be closed.
          </p>
          <p>
            Checks and alerts are made with care, yet a network, a mail server or this server can fail. The
            service is provided as it is, without warranty; do not let it be the only thing that stands
            between you and an outage. The software is open source under the Apache License 2.0.
          </p>
          <p>Questions: {contact}.</p>
        </Part>

        <Part id="privacy" title="Privacy Policy">
          <PrivacyText contact={contact} />
        </Part>

        <Part id="refund" title="Refunds">
          <RefundText contact={contact} />
        </Part>
      </main>
    </>
  );
}

function Part({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section id={id} className="mt-8 border-t border-line pt-8">
      <h2 className="mb-3 text-title font-bold tracking-[-.018em]">{title}</h2>
      <div className="space-y-3 text-lead text-fg-2">{children}</div>
    </section>
  );
}
