import { Link, useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { usePublicConfig } from '../../lib/public-config.ts';
import { Wordmark } from '../../ui/logo.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { LazyThemeMenu } from '../../ui/lazy-theme-menu.tsx';
import { PrivacyText } from './privacy-text.tsx';

export function TermsPage() {
  return <LegalPage title="Terms of Use" start="terms" />;
}

export function PrivacyPage() {
  return <LegalPage title="Privacy Policy" start="privacy" />;
}

/** Shows all legal texts on one page. Each path starts at its own section, unless the URL has an anchor. */
function LegalPage({ title, start }: { title: string; start: 'terms' | 'privacy' }) {
  usePageTitle(title);
  const { product_name: productName, support_email: supportEmail, try_it: hasTryIt } = usePublicConfig();
  const router = useRouter();
  useEffect(() => {
    if (window.location.hash !== '' || start === 'terms') return undefined;
    const scroll = (): void => document.getElementById(start)?.scrollIntoView();
    scroll();
    // The router scrolls to the top after rendering, so scroll to the section again.
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
            {productName} reads the TLS certificates of the hosts you add and alerts you before they expire
            {hasTryIt && '; without an account it checks one host at a time, on the landing page'}. Use it for
            hosts that you run or are allowed to check. Reading a certificate takes one ordinary connection,
            like that of any visitor.
          </p>
          <p>
            You need an account with a working email address. Keep your password secret. You can delete the
            account in your profile at any time.
          </p>
          <p>
            Do not use the service to overload, map or disturb other people’s systems, and do not work around
            its limits. We may close accounts that do.
          </p>
          <p>
            Networks, mail servers and this server can fail. The service is provided as is, without warranty;
            do not rely on it as your only protection against an outage. The software is open source under the
            Apache License 2.0; its pages contain{' '}
            <a href="/licenses.txt" className="link">
              software and fonts of others
            </a>
            , under their licences.
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

/** Explains payment, cancellation and refunds. */
function RefundText({ contact }: { contact: ReactNode }) {
  const { billing } = usePublicConfig();
  const guarantee = (
    <p>
      First-time premium users have a 7-day money-back guarantee: ask by email to {contact} within 7 days of
      the first payment. There are no prorated refunds.
    </p>
  );
  if (billing.mode === 'paddle' && billing.environment === 'live')
    return (
      <>
        <p>
          Premium is a monthly subscription, billed through the payment provider Paddle. You can cancel it at
          any time under Billing in the menu of your account; it then lasts until the end of the month for
          which you have paid.
        </p>
        {guarantee}
      </>
    );
  if (billing.mode === 'none') return <p>This server sells nothing, so there is nothing to refund.</p>;
  return (
    <>
      <p>
        {billing.mode === 'unset'
          ? 'This server sells nothing at present, so there is nothing to refund.'
          : 'This server sells nothing at present: the checkout is a test, and no money moves.'}
      </p>
      <p>
        If a paid subscription is offered later, it will be billed monthly through a payment provider, and you
        can cancel at any time.
      </p>
      {guarantee}
    </>
  );
}
