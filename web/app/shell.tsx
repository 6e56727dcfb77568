import { Link } from '@tanstack/react-router';
import { Command, type LucideIcon, MessageSquare, Sparkles } from 'lucide-react';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { useLiveDomains } from '../domain/live-domains.ts';
import { openBilling } from '../features/billing/open-billing.ts';
import { useSignedIn } from '../lib/account/current-user.ts';
import { usePublicConfig } from '../lib/public-config.ts';
import { PHONE, useMediaQuery } from '../lib/use-media-query.ts';
import { useLivePlan, useOffer } from '../lib/account/standing.ts';
import { useUpgrade } from '../lib/account/plan.ts';
import { Button, type ButtonProps } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { HeaderSlot } from '../ui/header-slot.tsx';
import { lazyDialog, OPEN_PROPS } from '../ui/lazy.tsx';
import { Wordmark } from '../ui/logo.tsx';
import { IS_MAC, KeyHint } from '../ui/menu.tsx';
import { ThemeMenu } from '../ui/theme-menu.tsx';
import { AvatarMenu } from './avatar-menu.tsx';
import { InShellContext } from './blank-page.tsx';
import { MainNav } from './main-nav.tsx';
import { ShellNotice } from './shell-notice.tsx';
import { UpgradeProvider } from './upgrade-provider.tsx';

const CommandPalette = lazyDialog(
  async () => (await import('../features/palette/command-palette.tsx')).CommandPalette,
  OPEN_PROPS,
);
const FeedbackDialog = lazyDialog(
  async () => (await import('../features/feedback/feedback-dialog.tsx')).FeedbackDialog,
  OPEN_PROPS,
);

/** Frames a page with the header, the notice bar and the upgrade dialog. */
export function Shell({ children }: { children: ReactNode }) {
  return (
    <UpgradeProvider>
      <Frame>{children}</Frame>
    </UpgradeProvider>
  );
}

function Frame({ children }: { children: ReactNode }) {
  const { product_name: productName } = usePublicConfig();
  const { isSold, open: openUpgrade } = useUpgrade();
  const { logOut } = useSignedIn();
  const isPhone = useMediaQuery(PHONE);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  usePaletteKey(isPaletteOpen, setPaletteOpen);
  const [isFeedbackOpen, setFeedbackOpen] = useState(false);
  useLivePlan();
  // Runs on every page, so that the dashboard is up to date when the person returns to it.
  useLiveDomains();
  const offer = useOffer();
  const giveFeedback = () => setFeedbackOpen(true);
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#content"
        className="fixed top-2 left-2 z-70 -translate-y-16 rounded-2 bg-primary px-4 py-2.5 font-medium text-primary-fg focus:translate-y-0 print:hidden"
      >
        Skip to content
      </a>
      <header className="sticky top-0 z-20 border-b border-line bg-surface">
        <div className="wrap flex h-[55px] items-center gap-1 md:h-[59px]">
          <Link to="/dashboard" className="flex items-center rounded-3 no-underline max-md:min-h-11">
            <Wordmark name={productName} />
          </Link>
          {!isPhone && <MainNav />}
          <span className="flex-1" />
          <Button
            variant="ghost"
            size="small"
            aria-label="Commands"
            title="Commands"
            aria-haspopup="dialog"
            aria-keyshortcuts={IS_MAC ? 'Meta+K' : 'Control+K'}
            className="max-md:px-3.5"
            onClick={() => setPaletteOpen(true)}
          >
            <Command className="size-4" strokeWidth={1.6} aria-hidden="true" />
            <KeyHint>{IS_MAC ? '⌘K' : 'Ctrl K'}</KeyHint>
          </Button>
          {offer && (
            <HeaderButton
              label={offer}
              Icon={Sparkles}
              variant="tinted"
              className="mr-1"
              onClick={() => openUpgrade('request')}
            />
          )}
          <HeaderButton label="Give Feedback" Icon={MessageSquare} variant="ghost" onClick={giveFeedback} />
          <span className="mx-2.5 h-5 border-l border-line-2 max-[960px]:hidden" />
          <ThemeMenu className="min-[960px]:mr-1.5 max-[640px]:hidden" />
          <HeaderSlot />
          <AvatarMenu offer={offer} onFeedback={giveFeedback} />
        </div>
      </header>
      <ShellNotice />
      <main id="content" tabIndex={-1} className="flex-1 pb-(--tabs)">
        <InShellContext value={true}>{children}</InShellContext>
      </main>
      {/* On phones it is at the bottom of the window, so the Tab key has to reach it last. */}
      {isPhone && <MainNav />}
      <CommandPalette
        open={isPaletteOpen}
        onOpenChange={setPaletteOpen}
        commands={[
          ...(offer === null ? [] : [{ label: offer, run: () => openUpgrade('request') }]),
          ...(isSold ? [{ label: 'Billing', run: () => void openBilling() }] : []),
          { label: 'Give Feedback', run: giveFeedback },
          { label: 'Log out', run: () => void logOut() },
        ]}
      />
      <FeedbackDialog open={isFeedbackOpen} onOpenChange={setFeedbackOpen} />
    </div>
  );
}

interface HeaderButtonProps extends Pick<ButtonProps, 'variant' | 'className' | 'onClick'> {
  label: string;
  Icon: LucideIcon;
}

/** Shows a button as an icon below 960 px, and hides it below 640 px, where the account menu has it. */
function HeaderButton({ label, Icon, className, ...rest }: HeaderButtonProps) {
  return (
    <Button
      {...rest}
      size="small"
      aria-label={label}
      title={label}
      className={classNames(
        'max-[960px]:w-11 max-[960px]:px-0 max-[640px]:hidden md:max-[960px]:w-8',
        className,
      )}
    >
      <Icon className="size-4 min-[960px]:hidden" strokeWidth={1.6} aria-hidden="true" />
      <span className="max-[960px]:hidden">{label}</span>
    </Button>
  );
}

/** Opens and closes the palette at ⌘K or Ctrl+K, unless another dialog is open. */
function usePaletteKey(isOpen: boolean, setOpen: (open: boolean) => void): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const { key, metaKey, ctrlKey, altKey, shiftKey, repeat } = event;
    const isPressed = (IS_MAC ? metaKey && !ctrlKey : ctrlKey && !metaKey) && !altKey && !shiftKey;
    if (!isPressed || key.toLowerCase() !== 'k' || repeat) return;
    event.preventDefault();
    if (isOpen || !document.querySelector('[role=dialog], [role=alertdialog]')) setOpen(!isOpen);
  });
  useEffect(() => {
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
