import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { usePublicConfig } from '../../lib/public-config.ts';
import { buttonClass } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { AccentLabel, SECTION_TITLE } from './section-parts.tsx';
import { offerOf } from './offer.ts';
import { grouped } from '../../lib/format.ts';

/** Price per month for visitors. Signed-in users see the payment provider's price in their currency. */
const PREMIUM_PRICE = '$4.99';

/** Shows the plans, Premium only if it is sold. Shows nothing if there are no plans or sign-ups are closed. */
export function Pricing() {
  const config = usePublicConfig();
  const { free_domains: freeDomains, trial_days: trialDays } = config.limits;
  const { hasPlans, isSold, isOpen, hasTrial } = offerOf(config);
  if (!hasPlans || !isOpen) return null;
  return (
    <section
      className={classNames(
        'wrap grid gap-6 pt-[72px] md:pt-28',
        isSold ? 'md:grid-cols-2 xl:grid-cols-[1fr_376px_376px]' : 'md:grid-cols-[1fr_376px]',
      )}
    >
      <div className={classNames(isSold && 'md:col-span-2 xl:col-span-1')}>
        <h2 id="pricing" tabIndex={-1} className={SECTION_TITLE}>
          Pricing
        </h2>
        <p className="mt-2.5 max-w-[280px] text-lead text-fg-2 md:max-xl:max-w-[560px]">
          Start with {grouped(freeDomains)} domains and keep them free.
          {isSold && (
            <>
              {' First-time premium users get a '}
              <span className="whitespace-nowrap">7-day</span> money-back guarantee.
            </>
          )}
          {hasTrial && ` The trial is ${trialDays} days of Premium, without a card.`}
        </p>
      </div>
      <PlanCard
        name="Free Tier"
        price="$0"
        lines={[
          `Up to ${freeDomains} certificates`,
          'Email notifications',
          'Uptime monitoring',
          'Daily SSL and uptime checks',
          'Community support',
        ]}
      >
        <a href="/signup" className={`${buttonClass('outline', 'large')} w-full`}>
          Get Started Free
        </a>
      </PlanCard>
      {isSold && (
        <PlanCard
          name="Premium"
          price={PREMIUM_PRICE}
          isPopular
          lines={[
            'Unlimited certificates',
            'Advanced email notifications',
            'Advanced uptime monitoring',
            'Checks up to every 10 minutes',
            'Webhook integration',
            'Priority support',
          ]}
        >
          <a
            href={hasTrial ? '/signup?trial=1' : '/signup'}
            className={`${buttonClass('primary', 'large')} w-full`}
          >
            {hasTrial ? 'Start Premium Trial' : 'Sign Up'}
          </a>
        </PlanCard>
      )}
    </section>
  );
}

interface PlanCardProps {
  name: string;
  price: string;
  lines: string[];
  isPopular?: boolean;
  /** The button below the plan. */
  children: ReactNode;
}

function PlanCard({ name, price, lines, isPopular = false, children }: PlanCardProps) {
  return (
    <div
      className={classNames(
        'flex flex-col rounded-5 border bg-surface p-6 md:px-8 md:py-[30px]',
        isPopular
          ? 'border-primary shadow-[0_0_0_1px_var(--primary),var(--elevation-2)]'
          : 'border-line shadow-1',
      )}
    >
      <h3 className="flex items-center justify-between gap-3 text-subtitle font-semibold">
        {name}
        {isPopular && <AccentLabel>Most Popular</AccentLabel>}
      </h3>
      <p className="mt-3.5 mb-4">
        <span className="num text-[44px]/12 font-bold tracking-[-.035em]">{price}</span>
        {isPopular && <span className="ml-1.5 text-fg-2">per month</span>}
      </p>
      <ul className="mb-6">
        {lines.map((line) => (
          <li key={line} className="flex gap-2.5 py-[5px] text-[14.5px]/[22px]">
            <Check className="mt-[3px] size-4 flex-none text-ok-mark" strokeWidth={1.6} aria-hidden="true" />
            {line}
          </li>
        ))}
      </ul>
      <div className="mt-auto">{children}</div>
    </div>
  );
}
