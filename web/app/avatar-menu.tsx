import { Link } from '@tanstack/react-router';
import { ArrowUpRight, CalendarDays, CreditCard, LogOut, MessageSquare, Sparkles, User } from 'lucide-react';
import { useState } from 'react';
import { openBilling } from '../features/billing/open-billing.ts';
import { type CurrentUser, useSignedIn } from '../lib/account/current-user.ts';
import { useUpgrade } from '../lib/account/plan.ts';
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../ui/menu.tsx';
import { ThemeChoices } from '../ui/theme-menu.tsx';

/** Returns up to two letters for the avatar. */
function initialsOf(user: CurrentUser): string {
  const words = user.fullName.split(/\s+/).filter(Boolean);
  const first = words[0] ?? user.email;
  const last = words.length > 1 ? words[words.length - 1] : undefined;
  return [first, last]
    .map((word) => Array.from(word ?? '')[0] ?? '')
    .join('')
    .toUpperCase();
}

/** Shows the user's photo, or the initials if there is none or it does not load. */
function Avatar({ user }: { user: CurrentUser }) {
  const [failed, setFailed] = useState<string | null>(null);
  if (user.photoUrl !== null && user.photoUrl !== failed)
    return (
      <img
        src={user.photoUrl}
        alt=""
        referrerPolicy="no-referrer"
        className="size-8 rounded-full object-cover"
        onError={() => setFailed(user.photoUrl)}
      />
    );
  return (
    <span className="grid size-8 place-items-center rounded-full bg-fg text-small font-semibold forced-color-adjust-none tracking-[.02em] text-bg">
      {initialsOf(user)}
    </span>
  );
}

interface AvatarMenuProps {
  /** The label of the upgrade item; null where Premium is not offered. */
  offer: string | null;
  onFeedback: () => void;
}

/** Shows the account menu. Below 640 px it also has the header items that do not fit. */
export function AvatarMenu({ offer, onFeedback }: AvatarMenuProps) {
  const { user, logOut } = useSignedIn();
  const { isSold, open } = useUpgrade();
  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label={`Account of ${user.fullName || user.email}`}
          className="grid size-11 place-items-center rounded-full max-md:-mr-1.5 md:size-8"
        >
          <Avatar user={user} />
        </button>
      }
    >
      <MenuLabel>{user.email}</MenuLabel>
      <div className="min-[640px]:hidden">
        {offer && (
          <MenuItem onSelect={() => open('request')}>
            <Sparkles strokeWidth={1.6} aria-hidden="true" />
            {offer}
          </MenuItem>
        )}
        <MenuItem onSelect={onFeedback}>
          <MessageSquare strokeWidth={1.6} aria-hidden="true" />
          Give Feedback
        </MenuItem>
        <MenuSeparator />
      </div>
      <MenuItem asChild>
        <Link to="/profile">
          <User strokeWidth={1.6} aria-hidden="true" />
          Profile
        </Link>
      </MenuItem>
      <MenuItem asChild>
        <Link to="/deadlines">
          <CalendarDays strokeWidth={1.6} aria-hidden="true" />
          Deadlines
        </Link>
      </MenuItem>
      {isSold && (
        <MenuItem onSelect={() => void openBilling()}>
          <CreditCard strokeWidth={1.6} aria-hidden="true" />
          <span className="flex-1">Billing</span>
          <ArrowUpRight strokeWidth={1.6} aria-label="opens in a new tab" />
        </MenuItem>
      )}
      <MenuSeparator />
      <div className="min-[640px]:hidden">
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
