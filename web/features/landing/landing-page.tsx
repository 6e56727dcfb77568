import { useMemo } from 'react';
import { scheduleOf } from '../../../contract/state/schedule.ts';
import { usePublicConfig } from '../../lib/public-config.ts';
import { buttonClass } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { DayRuler } from '../../ui/horizon/day-ruler.tsx';
import { Wordmark } from '../../ui/logo.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { DashboardShot } from './dashboard-shot.tsx';
import { HeroHorizon, type VisitorPin } from './hero-horizon.tsx';
import { KeyFeatures } from './key-features.tsx';
import { LandingHeader } from './landing-header.tsx';
import { LifetimeStory } from './lifetime-story.tsx';
import { offerOf } from './offer.ts';
import { Pricing } from './pricing.tsx';
import { SECTION_TITLE, WithCurrentTime } from './section-parts.tsx';
import { TryItForm, TryItReport } from './try-it/try-it.tsx';
import { type PreviewCheck, usePreviewCheck } from './try-it/use-preview-check.ts';

export function LandingPage() {
  usePageTitle('Never miss an SSL certificate expiry');
  const { product_name: productName } = usePublicConfig();
  return (
    <>
      <LandingHeader />
      <main>
        <Hero productName={productName} />
        <section data-needs-script="" className="wrap pt-[72px] md:pt-22">
          <div className="flex flex-col justify-between gap-x-12 gap-y-3.5 md:flex-row md:items-end">
            <h2 className={`${SECTION_TITLE} max-w-[480px]`}>
              The first line of the dashboard is your to-do list.
            </h2>
            <p className="max-w-[430px] text-lead text-fg-2">
              Healthy certificates stay in the background. Those that need attention get a badge with a
              colour, a shape and words.
            </p>
          </div>
          <WithCurrentTime className="min-h-[186px] md:min-h-[784px]">
            {(now) => <DashboardShot productName={productName} now={now} />}
          </WithCurrentTime>
        </section>
        <LifetimeStory />
        <section className="wrap pt-[72px] md:pt-28">
          <h2 id="features" tabIndex={-1} className={SECTION_TITLE}>
            Key Features
          </h2>
          <KeyFeatures />
        </section>
        <Pricing />
        <ClosingBand />
      </main>
      <LandingFooter productName={productName} />
    </>
  );
}

function Hero({ productName }: { productName: string }) {
  const config = usePublicConfig();
  const { hasPlans, isOpen } = offerOf(config);
  const preview = usePreviewCheck();
  const visitor = useMemo(() => pinOf(preview.check), [preview.check]);
  return (
    <section>
      <div className="bg-surface pt-11 md:pt-[92px]">
        <div className="wrap pb-9 md:pb-11">
          <h1
            tabIndex={-1}
            className="max-w-[900px] text-[36px]/10 font-heavy tracking-[-.036em] text-balance md:text-[60px]/16"
          >
            {productName}: Never miss an SSL certificate expiry again.
          </h1>
          <p className="mt-5 max-w-[590px] text-[17px]/[26px] tracking-[-.008em] text-fg-2 md:mt-[22px] md:text-[19px]/[30px]">
            Add a hostname. We read its certificate, watch its expiry date, and email you before that day
            comes.
          </p>
          <div className="mt-[30px] flex flex-col gap-x-4 gap-y-5 md:flex-row md:items-start">
            {config.try_it && (
              <div data-needs-script="" className="contents">
                <TryItForm preview={preview} />
              </div>
            )}
            <div
              className={classNames(
                'flex items-center gap-4',
                config.try_it && 'md:mt-6 md:flex-col md:items-start md:gap-1.5',
              )}
            >
              <a href={isOpen ? '/signup' : '/login'} className={buttonClass('primary', 'large')}>
                {isOpen ? 'Sign Up' : 'Login'}
              </a>
              <span className="text-balance text-fg-3">
                {hasPlans && isOpen && `Free for ${config.limits.free_domains} domains. `}Open source
                <span className="max-sm:hidden">
                  : <code className="font-mono text-label">npm start</code>
                </span>
                .
              </span>
            </div>
          </div>
        </div>
        <WithCurrentTime className="min-h-[189px] md:min-h-[205px]">
          {(now) => <HeroHorizon now={now} visitor={visitor} />}
        </WithCurrentTime>
      </div>
      <TryItReport preview={preview} />
    </section>
  );
}

/** Returns the pin of the host that the visitor checked; null if no certificate was read. */
function pinOf(check: PreviewCheck): VisitorPin | null {
  if (check.stage !== 'done' || check.result.expiry_date === null) return null;
  const { display_name: name, expiry_date: expiryDate } = check.result;
  return { name, notAfter: Date.parse(expiryDate), status: statusOf(check) };
}

/** Returns the state of a pin whose certificate has a problem other than its expiry, or whose renewal is on schedule; else null. */
function statusOf({ result, at }: Extract<PreviewCheck, { stage: 'done' }>): VisitorPin['status'] {
  const { state, findings } = result;
  if (state === 'revoked') return 'revoked';
  if (state === 'expired') return null;
  if (findings.some(({ severity }) => severity === 'critical')) return 'fault';
  if (state === 'critical' || state === 'soon') return scheduleOf(result, at) === 'on schedule' ? 'ok' : null;
  return findings.some(({ severity }) => severity === 'warning') ? 'flaw' : null;
}

function ClosingBand() {
  const { hasTrial, isOpen } = offerOf(usePublicConfig());
  return (
    <section data-theme="dark" className="mt-[72px] bg-band text-fg md:mt-28">
      <div className="wrap flex flex-col justify-between gap-6 pt-14 pb-16 md:flex-row md:items-center md:pt-[76px] md:pb-[62px]">
        <h2 className="max-w-[520px] text-[26px]/8 font-bold tracking-[-.028em] md:text-[36px]/11">
          Know the date before your visitors do.
        </h2>
        <div className="text-center md:text-right">
          <a
            href={hasTrial ? '/signup?trial=1' : isOpen ? '/signup' : '/login'}
            className={`${buttonClass('primary', 'large')} max-md:w-full`}
          >
            {hasTrial ? 'Start Your Free Trial' : isOpen ? 'Sign Up' : 'Login'}
          </a>
          {isOpen && (
            <p className="mt-3 text-[13.5px]/5 text-fg-2">No credit card required • Setup in 2 minutes</p>
          )}
        </div>
      </div>
      <DayRuler />
    </section>
  );
}

function LandingFooter({ productName }: { productName: string }) {
  const link = 'inline-flex min-h-11 items-center underline underline-offset-2 hover:text-fg';
  return (
    <footer className="wrap flex flex-wrap items-center justify-between gap-x-6 py-4 text-[13.5px]/5 text-fg-2">
      <Wordmark name={productName} size="small" />
      <div className="flex flex-wrap gap-x-6">
        <a href="/login" className={link}>
          Login
        </a>
        <a href="/terms-of-use" target="_blank" rel="noreferrer" className={link}>
          Terms of Use
        </a>
        <a href="/privacy-policy" target="_blank" rel="noreferrer" className={link}>
          Privacy Policy
        </a>
      </div>
    </footer>
  );
}
