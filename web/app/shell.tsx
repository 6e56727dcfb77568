import { Link } from '@tanstack/react-router';
import { LogOut, User } from 'lucide-react';
import type { ReactNode } from 'react';
import { useSignedIn } from '../lib/current-user.ts';
import type { CurrentUser } from '../lib/current-user.ts';
import { usePublicConfig } from '../lib/public-config.ts';
import { Wordmark } from '../ui/logo.tsx';
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../ui/menu.tsx';
import { NoticeBar } from '../ui/notice-bar.tsx';
import { ThemeChoices, ThemeMenu } from '../ui/theme-menu.tsx';
import { useNotice } from './notice.ts';

/** Up to two letters for the avatar. */
function initialsOf(user: CurrentUser): string {
  const words = user.fullName.split(/\s+/).filter(Boolean);
  const first = words[0] ?? user.email;
  const last = words.length > 1 ? words[words.length - 1] : undefined;
  return [first, last]
    .map((word) => Array.from(word ?? '')[0] ?? '')
    .join('')
    .toUpperCase();
}

function AvatarMenu() {
  const { user, logOut } = useSignedIn();
  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label={`Account of ${user.fullName || user.email}`}
          className="grid size-11 place-items-center rounded-full max-md:-mr-1.5 md:size-8"
        >
          <span className="grid size-8 place-items-center rounded-full bg-fg text-small font-semibold forced-color-adjust-none tracking-[.02em] text-bg">
            {initialsOf(user)}
          </span>
        </button>
      }
    >
      <MenuLabel>{user.email}</MenuLabel>
      <MenuItem asChild>
        <Link to="/profile">
          <User strokeWidth={1.6} aria-hidden="true" />
          Profile
        </Link>
      </MenuItem>
      <MenuSeparator />
      <div className="md:hidden">
        <ThemeChoices />
        <MenuSeparator />
      </div>
      <MenuItem onSelect={() => void logOut()}>
        <LogOut strokeWidth={1.6} aria-hidden="true" />
        Log out
      </MenuItem>
    </Menu>
  );
}

/** Header, notice bar and the place of the page. */
export function Shell({ children }: { children: ReactNode }) {
  const { product_name: productName } = usePublicConfig();
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
          <ThemeMenu className="mr-1.5 max-md:hidden" />
          <AvatarMenu />
        </div>
      </header>
      <NoticeBar>{useNotice()}</NoticeBar>
      <main id="content" tabIndex={-1} className="flex-1">
        {children}
      </main>
    </div>
  );
}
