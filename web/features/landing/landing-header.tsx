import { usePublicConfig } from '../../lib/public-config.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Wordmark } from '../../ui/logo.tsx';
import { LazyThemeMenu } from '../../ui/lazy-theme-menu.tsx';
import { offerOf } from './offer.ts';
import { scrollBehavior } from './section-parts.tsx';

function scrollTo(headingId: string): void {
  const heading = document.getElementById(headingId);
  heading?.scrollIntoView({ behavior: scrollBehavior() });
  heading?.focus({ preventScroll: true });
}

/** Shows the landing page's header, which stays at the top while scrolling. */
export function LandingHeader() {
  const config = usePublicConfig();
  const { hasPlans, isOpen } = offerOf(config);
  return (
    <header className="sticky top-0 z-20 border-b border-line bg-surface">
      <div className="wrap flex h-[55px] items-center gap-1.5 md:h-[59px]">
        <a href="/landing" className="flex items-center rounded-3 no-underline max-md:min-h-11">
          <Wordmark name={config.product_name} />
        </a>
        <span className="flex-1" />
        <Button
          data-needs-script=""
          variant="ghost"
          size="small"
          className="max-md:hidden"
          onClick={() => scrollTo('features')}
        >
          Features
        </Button>
        {hasPlans && isOpen && (
          <Button
            data-needs-script=""
            variant="ghost"
            size="small"
            className="max-md:hidden"
            onClick={() => scrollTo('pricing')}
          >
            Pricing
          </Button>
        )}
        <a href="/login" className={`${buttonClass('ghost', 'small')} max-sm:px-2 max-[22rem]:px-0`}>
          Login
        </a>
        <span data-needs-script="" className="contents">
          <LazyThemeMenu />
        </span>
        {isOpen && (
          <a
            href="/signup"
            target="_blank"
            rel="noreferrer"
            className={`${buttonClass('primary', 'small')} ml-1.5 max-[22rem]:ml-0 max-[22rem]:px-2`}
          >
            Sign Up
          </a>
        )}
      </div>
    </header>
  );
}
