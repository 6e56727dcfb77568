import { Ellipsis, History, KeyRound, Pencil, Power, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { OWN_MAIL } from '../../../../contract/channel.ts';
import type { ChannelWire } from '../../../../contract/channel.ts';
import { useNow } from '../../../lib/use-now.ts';
import { ChannelIcon } from '../../../ui/alert-settings/channel-icon.tsx';
import { DeliveryReceipt } from '../../../ui/alert-settings/delivery-receipt.tsx';
import { Button } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { Glyph } from '../../../ui/glyph.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import { useKeptFocus } from '../../../ui/use-kept-focus.ts';
import { CHANNEL_KINDS } from '../../../ui/alert-settings/channel-kinds.ts';
import { channelState } from './channel-state.ts';
import type { ChannelState } from './channel-state.ts';
import { ChannelRemedy } from './channel-remedy.tsx';
import { EditChannelDialog } from './edit-channel-dialog.tsx';
import { ReceiptsDialog } from './receipts-dialog.tsx';
import { RemoveChannelDialog } from './remove-channel-dialog.tsx';
import { SigningKeyDialog } from './signing-key-dialog.tsx';
import { useChannelTest } from './use-channel-test.ts';
import { useSwitchChannel } from './use-switch-channel.ts';

type Asked = 'edit' | 'receipts' | 'key' | 'remove';

interface ChannelItemProps {
  channel: ChannelWire;
  focusAfterRemoval: () => HTMLElement | null;
}

/** One channel: what it is, where it stands, and what can be done with it. */
export function ChannelItem({ channel, focusAfterRemoval }: ChannelItemProps) {
  const { key, kind, name, target, state } = channel;
  const isOwn = key === OWN_MAIL;
  const standing = channelState(channel, useNow());
  const test = useChannelTest(key);
  const [asked, setAsked] = useState<Asked | null>(null);
  const focus = useKeptFocus<HTMLDivElement>();
  const ask = (what: Asked) => (open: boolean) => setAsked(open ? what : null);

  return (
    <li className="border-b border-line py-4 first:pt-0 last:border-0 last:pb-0">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <span className="grid size-8 flex-none place-items-center rounded-3 border border-line bg-surface">
          <ChannelIcon kind={kind} className="text-fg-2" />
        </span>
        <div className="min-w-0 flex-1">
          <p className="[overflow-wrap:anywhere]">
            <span className="font-medium">{name}</span>{' '}
            {!isOwn && <span className="text-meta text-fg-3">{CHANNEL_KINDS[kind].label}</span>}
          </p>
          {name !== target && <p className="text-meta [overflow-wrap:anywhere] text-fg-3">{target}</p>}
          <StateLine standing={standing} />
        </div>
        <div {...focus} className="flex items-center gap-2 max-md:order-last max-md:basis-full max-md:pl-11">
          {state === 'open' && (
            <Button
              variant="outline"
              size="small"
              busy={test.isSending}
              aria-label={`Send a test to ${name}`}
              onClick={test.send}
            >
              Send a test
            </Button>
          )}
          <ChannelRemedy channel={channel} remedy={standing.remedy} onEdit={() => setAsked('edit')} />
        </div>
        <ChannelMenu channel={channel} onAsk={setAsked} />
      </div>
      {test.receipt && (
        <section
          aria-label={`Test of ${name}`}
          className="mt-3 ml-11 rounded-3 border border-line bg-surface px-3.5 py-3"
        >
          <DeliveryReceipt delivery={test.receipt} hasTitle={false} />
        </section>
      )}
      <ReceiptsDialog channel={channel} open={asked === 'receipts'} onOpenChange={ask('receipts')} />
      {!isOwn && (
        <>
          <EditChannelDialog channel={channel} open={asked === 'edit'} onOpenChange={ask('edit')} />
          <SigningKeyDialog channel={channel} open={asked === 'key'} onOpenChange={ask('key')} />
          <RemoveChannelDialog
            channel={channel}
            open={asked === 'remove'}
            onOpenChange={ask('remove')}
            focusAfterRemoval={focusAfterRemoval}
          />
        </>
      )}
    </li>
  );
}

function StateLine({ standing: { text, glyph } }: { standing: ChannelState }) {
  return (
    <p className="mt-1 flex items-start gap-1.5 text-label [overflow-wrap:anywhere] text-fg-2">
      {glyph && (
        <Glyph
          name={glyph}
          className={classNames(
            'mt-0.5 size-[13px] [--glyph-cut:var(--bg)]',
            { critical: 'text-critical-mark', soon: 'text-soon-mark', paused: 'text-fg-3' }[glyph],
          )}
        />
      )}
      <span className="min-w-0">{text}</span>
    </p>
  );
}

interface ChannelMenuProps {
  channel: ChannelWire;
  onAsk: (what: Asked) => void;
}

function ChannelMenu({ channel: { key, kind, name, state }, onAsk }: ChannelMenuProps) {
  const switching = useSwitchChannel(key);
  return (
    <Menu
      trigger={
        <IconButton label={`Actions for ${name}`} className="max-md:-mt-2 max-md:-mr-2">
          <Ellipsis className="size-4" strokeWidth={1.6} aria-hidden="true" />
        </IconButton>
      }
    >
      <MenuItem onSelect={() => onAsk('receipts')}>
        <History strokeWidth={1.6} aria-hidden="true" />
        Last messages
      </MenuItem>
      {key !== OWN_MAIL && (
        <>
          {state !== 'plan' && (
            <>
              <MenuItem onSelect={() => onAsk('edit')}>
                <Pencil strokeWidth={1.6} aria-hidden="true" />
                Edit
              </MenuItem>
              {kind === 'webhook' && (
                <MenuItem onSelect={() => onAsk('key')}>
                  <KeyRound strokeWidth={1.6} aria-hidden="true" />
                  New signing key
                </MenuItem>
              )}
              {(state === 'open' || state === 'off') && (
                <MenuItem onSelect={() => switching.mutate(state === 'off')}>
                  <Power strokeWidth={1.6} aria-hidden="true" />
                  {state === 'off' ? 'Switch on' : 'Switch off'}
                </MenuItem>
              )}
            </>
          )}
          <MenuSeparator />
          <MenuItem danger onSelect={() => onAsk('remove')}>
            <Trash2 strokeWidth={1.6} aria-hidden="true" />
            Remove
          </MenuItem>
        </>
      )}
    </Menu>
  );
}
