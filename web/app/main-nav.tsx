import { Link } from '@tanstack/react-router';
import { Activity, Bell, FileBadge, Globe } from 'lucide-react';
import { useStanding } from '../lib/account/standing.ts';

const PAGES = [
  { to: '/dashboard', label: 'Domains', Icon: Globe },
  { to: '/certificates', label: 'Certificates', Icon: FileBadge },
  { to: '/alerts', label: 'Alerts', Icon: Bell },
  { to: '/status-page', label: 'Status page', Icon: Activity },
] as const;

/** Links the main pages: in the header or, below 720 px, as tabs at the bottom of the window. */
export function MainNav() {
  const standing = useStanding();
  const isChannelDead = standing !== null && (standing.dead_channels > 0 || standing.mail_failing);
  return (
    <nav
      aria-label="Main"
      data-tabs=""
      className="flex max-md:fixed max-md:inset-x-0 max-md:bottom-0 max-md:z-20 max-md:border-t max-md:border-line max-md:bg-surface max-md:pb-[env(safe-area-inset-bottom)] md:ml-1 lg:ml-5"
    >
      {PAGES.map(({ to, label, Icon }) => (
        <Link
          key={to}
          to={to}
          className="flex items-center justify-center border-transparent font-medium whitespace-nowrap text-fg-2 no-underline hover:text-fg max-md:h-14 max-md:flex-1 max-md:flex-col max-md:gap-0.5 max-md:border-t-2 max-md:text-small max-md:-outline-offset-2 md:h-[59px] md:border-y-2 md:px-2 md:text-label md:-outline-offset-8 lg:px-3 aria-[current=page]:border-t-fg aria-[current=page]:text-fg md:aria-[current=page]:border-t-transparent md:aria-[current=page]:border-b-fg"
        >
          <Icon className="size-5 md:hidden" strokeWidth={1.6} aria-hidden="true" />
          <span className="relative">
            {label}
            {to === '/alerts' && isChannelDead && (
              <span
                title="A channel does not work"
                className="absolute -top-0.5 -right-1.5 size-1.5 rounded-full md:max-lg:-top-1 md:max-lg:-right-0.5 bg-critical-mark forced-colors:bg-[CanvasText]"
              >
                <span className="sr-only">(a channel does not work)</span>
              </span>
            )}
          </span>
        </Link>
      ))}
    </nav>
  );
}
