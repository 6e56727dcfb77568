import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { usePublicConfig } from '../lib/public-config.ts';
import { useOffer } from '../lib/offer.ts';
import { useLivePlan } from '../lib/standing.ts';
import { useUpgrade } from '../lib/upgrade.ts';
import { Button } from '../ui/button.tsx';
import { HeaderSlot } from '../ui/header-slot.tsx';
import { OPEN_PROPS, lazyDialog } from '../ui/lazy.tsx';
import { Wordmark } from '../ui/logo.tsx';
import { ThemeMenu } from '../ui/theme-menu.tsx';
import { AvatarMenu } from './avatar-menu.tsx';
import { ShellNotice } from './shell-notice.tsx';
import { UpgradeProvider } from './upgrade-provider.tsx';

const FeedbackDialog = lazyDialog(
  async () => (await import('../features/feedback/feedback-dialog.tsx')).FeedbackDialog,
  OPEN_PROPS,
);

/** Header, notice bar and the place of the page, which can open the offer of Premium. */
export function Shell({ children }: { children: ReactNode }) {
  return (
    <UpgradeProvider>
      <Frame>{children}</Frame>
    </UpgradeProvider>
  );
}

function Frame({ children }: { children: ReactNode }) {
  const { product_name: productName } = usePublicConfig();
  const { open: openUpgrade } = useUpgrade();
  const [isFeedbackOpen, setFeedbackOpen] = useState(false);
  useLivePlan();
  const offer = useOffer();
  const giveFeedback = () => setFeedbackOpen(true);
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#content"
        className="fixed top-2 left-2 z-70 -translate-y-16 rounded-2 bg-primary px-4 py-2.5 font-medium text-primary-fg focus:translate-y-0"
      >
        Skip to content
      </a>
      <header className="sticky top-0 z-20 border-b border-line bg-surface">
        <div className="wrap flex h-[55px] items-center gap-1 md:h-[59px]">
          <Link to="/dashboard" className="flex items-center rounded-3 no-underline max-md:min-h-11">
            <Wordmark name={productName} />
          </Link>
          <span className="flex-1" />
          {offer && (
            <Button
              variant="tinted"
              size="small"
              className="mr-1 max-md:hidden"
              onClick={() => openUpgrade('wish')}
            >
              {offer}
            </Button>
          )}
          <Button variant="ghost" size="small" className="max-md:hidden" onClick={giveFeedback}>
            Give Feedback
          </Button>
          <span className="mx-2.5 h-5 border-l border-line-2 max-md:hidden" />
          <ThemeMenu className="mr-1.5 max-md:hidden" />
          {/* What a page has for the header of small screens. */}
          <span id="header-slot" className="contents" />
          <HeaderSlot />
          <AvatarMenu offer={offer} onFeedback={giveFeedback} />
        </div>
      </header>
      <ShellNotice />
      <main id="content" tabIndex={-1} className="flex-1">
        {children}
      </main>
      <FeedbackDialog open={isFeedbackOpen} onOpenChange={setFeedbackOpen} />
    </div>
  );
}
