import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { usePublicConfig } from '../lib/public-config.ts';
import { DayRuler } from './horizon/day-ruler.tsx';
import { Wordmark } from './logo.tsx';

export interface AuthCardProps {
  title: string;
  subtitle?: ReactNode;
  /** The form. */
  children?: ReactNode;
  /** The line with a link to the other form: 'Have an account? …'. */
  elsewhere?: ReactNode;
  /** How the user agrees to the terms: 'By clicking login' or 'By signing up'. */
  agreement?: string;
}

/** Frames login, sign-up and related pages with a card on the day ruler. */
export function AuthCard({ title, subtitle, children, elsewhere, agreement }: AuthCardProps) {
  const { product_name: productName } = usePublicConfig();
  return (
    <div className="flex min-h-dvh flex-col">
      {/* Positioned by the window's height alone, so that the card does not move while the document loads. The offsets are half of the height of the card with the ruler: 542 px for the login and, on phones, 680 px for the sign-up. */}
      <main className="flex flex-1 flex-col items-center px-4 pt-[max(2rem,calc(50dvh-271px))] pb-8 max-md:pt-[max(1.5rem,calc(50dvh-340px))]">
        <div className="w-full max-w-[480px]">
          <div className="mb-6 flex justify-center">
            <a href="/landing" className="flex items-center rounded-3 no-underline max-md:min-h-11">
              <Wordmark name={productName} size="large" />
            </a>
          </div>
          <div className="rounded-5 border border-line bg-surface p-5 shadow-2 sm:p-8">
            <h1 tabIndex={-1} className="text-[22px]/7 font-bold tracking-[-.018em]">
              {title}
            </h1>
            {subtitle && <p className="mt-1 text-fg-2">{subtitle}</p>}
            {children}
          </div>
          {elsewhere && (
            <p className="mt-5 text-center text-fg-2 max-md:[&>a]:-my-3 max-md:[&>a]:inline-block max-md:[&>a]:py-3">
              {elsewhere}
            </p>
          )}
          {agreement && (
            <p className="mt-3.5 text-center text-meta text-balance text-fg-3">
              {agreement}, you agree to our{' '}
              <Link to="/terms" className="text-fg-2 underline underline-offset-2">
                Terms of Service
              </Link>{' '}
              and{' '}
              <Link to="/privacy" className="text-fg-2 underline underline-offset-2">
                Privacy Policy
              </Link>
              .
            </p>
          )}
        </div>
      </main>
      <DayRuler />
    </div>
  );
}
