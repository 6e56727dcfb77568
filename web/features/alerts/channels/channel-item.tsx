import { Ellipsis, History, KeyRound, Pencil, Power, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { type ChannelWire, OWN_MAIL } from '../../../../contract/channel.ts';
import { PHONE, useMediaQuery } from '../../../lib/use-media-query.ts';
import { useNow } from '../../../lib/use-now.ts';
import { ChannelIcon } from '../../../ui/alert-settings/channel-icon.tsx';
import { DeliveryReceipt } from '../../../ui/alert-settings/delivery-receipt.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Glyph } from '../../../ui/glyph.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import { useKeptFocus } from '../../../ui/form/use-kept-focus.ts';
import { CHANNEL_MARKS, channelState, type ChannelState } from '../../../lib/alerts/channel-state.ts';
import { EditChannelDialog } from './edit-channel-dialog.tsx';
import { ReceiptsDialog } from './receipts-dialog.tsx';
import { SigningKeyDialog } from './signing-key-dialog.tsx';
import { useChannelTest } from './use-channel-test.ts';
import { useUpgrade } from '../../../lib/account/plan.ts';
import { useRereadAlerts } from '../../../lib/alerts/alert-queries.ts';
import { changeChannel } from '../../../../contract/calls/alert.ts';
import { call } from '../../../lib/api-client.ts';
import { useWrite } from '../../../lib/use-write.ts';
import { toast } from '../../../ui/toast.tsx';
import { failureText } from '../../../ui/verify-address.tsx';
import { CHANNEL_LABELS } from '../../../../contract/words.ts';

type Asked = 'edit' | 'receipts' | 'key';

interface ChannelItemProps {
  channel: ChannelWire;
  onRemove: () => void;
}

/** Shows one channel with its state and actions. */
export function ChannelItem({ channel, onRemove }: ChannelItemProps) {
  const { key, kind, name, target, state } = channel;
  const isOwn = key === OWN_MAIL;
  const standing = channelState(channel, useNow());
  const test = useChannelTest(key);
  const [asked, setAsked] = useState<Asked | null>(null);
  const focus = useKeptFocus<HTMLDivElement>();
  const isPhone = useMediaQuery(PHONE);
  const menu = <ChannelMenu channel={channel} onAsk={setAsked} onRemove={onRemove} />;
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
            {!isOwn && <span className="text-meta text-fg-3">{CHANNEL_LABELS[kind]}</span>}
          </p>
          {name !== target && <p className="text-meta [overflow-wrap:anywhere] text-fg-3">{target}</p>}
          <StateLine standing={standing} />
        </div>
        {isPhone && menu}
        <div {...focus} className="flex items-center gap-2 max-md:basis-full max-md:pl-11">
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
        {!isPhone && menu}
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
        </>
      )}
    </li>
  );
}

function StateLine({ standing: { text, mark } }: { standing: ChannelState }) {
  return (
    <p className="mt-1 flex items-start gap-1.5 text-label [overflow-wrap:anywhere] text-fg-2">
      {mark && (
        <Glyph
          name={CHANNEL_MARKS[mark].glyph}
          className={`mt-0.5 size-[13px] ${CHANNEL_MARKS[mark].colour}`}
        />
      )}
      <span className="min-w-0">{text}</span>
    </p>
  );
}

interface ChannelMenuProps extends ChannelItemProps {
  onAsk: (what: Asked) => void;
}

function ChannelMenu({ channel: { key, kind, name, state }, onAsk, onRemove }: ChannelMenuProps) {
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
          <MenuItem danger onSelect={onRemove}>
            <Trash2 strokeWidth={1.6} aria-hidden="true" />
            Remove
          </MenuItem>
        </>
      )}
    </Menu>
  );
}

interface ChannelRemedyProps {
  channel: ChannelWire;
  remedy: ChannelState['remedy'];
  onEdit: () => void;
}

/** Shows the button for the action that the channel needs from its owner, if any. */
function ChannelRemedy({ channel, remedy, onEdit }: ChannelRemedyProps) {
  const { isSold, open } = useUpgrade();
  const switching = useSwitchChannel(channel.key);
  const asking = useAskAgain(channel);
  if (remedy === null || (remedy === 'upgrade' && !isSold)) return null;
  const what = {
    try_again: { label: 'Try again', act: () => switching.mutate(true) },
    get_again: { label: 'Resume emails', act: () => switching.mutate(true) },
    ask_again: { label: 'Send the link again', act: () => asking.mutate() },
    upgrade: { label: 'Upgrade to Premium', act: () => open('request') },
    edit: { label: 'Edit', act: onEdit },
  }[remedy];
  return (
    <Button
      variant={remedy === 'upgrade' ? 'tinted' : 'outline'}
      size="small"
      busy={switching.isPending || asking.isPending}
      onClick={what.act}
    >
      {what.label}
    </Button>
  );
}

/** Emails the confirmation link to an added recipient again. The previous link stops working. */
function useAskAgain({ key, target }: Pick<ChannelWire, 'key' | 'target'>) {
  const reread = useRereadAlerts();
  return useWrite({
    mutationFn: () =>
      call(changeChannel, { params: { key }, body: { config: { kind: 'email', address: target } } }),
    onSuccess: () => {
      void reread();
      toast.success(`We sent a new link to ${target}.`);
    },
    onError: (error) => toast.error(failureText(error, 'Could not send the link: ')),
  });
}

/** Switches a channel on or off. Switching on also retries a channel that had failed. */
function useSwitchChannel(key: string) {
  const reread = useRereadAlerts();
  return useWrite({
    mutationFn: (enabled: boolean) => call(changeChannel, { params: { key }, body: { enabled } }),
    onSuccess: (_, enabled) => {
      void reread();
      toast.success(enabled ? 'Channel switched on.' : 'Channel switched off.');
    },
    onError: (error) => toast.error(failureText(error, 'Could not switch the channel on or off: ')),
  });
}
