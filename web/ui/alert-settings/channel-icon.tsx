import { Bell, Gamepad2, Hash, Mail, Send, Siren, Users, Webhook } from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import type { ChannelKindName } from '../../../contract/channel.ts';
import { classNames } from '../class-names.ts';

const ICONS: Record<ChannelKindName, LucideIcon> = {
  email: Mail,
  webhook: Webhook,
  slack: Hash,
  discord: Gamepad2,
  teams: Users,
  telegram: Send,
  pagerduty: Siren,
  ntfy: Bell,
};

/** What a kind of channel looks like; its name stands beside it. */
export function ChannelIcon({ kind, className }: { kind: ChannelKindName; className?: string }) {
  const Icon = ICONS[kind];
  return (
    <Icon
      className={classNames('size-4 flex-none', className ?? 'text-fg-3')}
      strokeWidth={1.6}
      aria-hidden="true"
    />
  );
}
