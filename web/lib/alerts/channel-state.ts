import { type ChannelWire, OWN_MAIL } from '../../../contract/channel.ts';
import { DAY_MS } from '../../../contract/durations.ts';
import { longDate, relativeTime } from '../format.ts';

/**
 * The symbol and the colour of a channel that cannot receive alerts. Differs from the triangle and diamond, which stand only
 * for an expiry.
 */
export const CHANNEL_MARKS = {
  critical: { glyph: 'fault', colour: 'text-critical-mark' },
  soon: { glyph: 'fault', colour: 'text-soon-mark' },
  paused: { glyph: 'paused', colour: 'text-fg-3' },
} as const;

export interface ChannelState {
  text: string;
  /** Null if all is well. */
  mark: keyof typeof CHANNEL_MARKS | null;
  /** The action with which the owner can repair the channel; null if there is none. */
  remedy: 'try_again' | 'get_again' | 'ask_again' | 'upgrade' | 'edit' | null;
}

type Standing = Pick<
  ChannelWire,
  'key' | 'kind' | 'state' | 'target' | 'detail' | 'last_delivered_at' | 'failing_since'
>;

const quiet = (text: string): ChannelState => ({ text, mark: null, remedy: null });

/** Returns the state of a channel in words, and the action that repairs it. */
export function channelState(channel: Standing, now: number): ChannelState {
  const { key, kind, state, target, detail } = channel;
  if (state === 'open') return openState(channel, now);
  const said = why(detail);
  const unsubscribed: ChannelState =
    key === OWN_MAIL
      ? { text: 'You unsubscribed from alert emails', mark: 'critical', remedy: 'get_again' }
      : {
          text: 'The recipient unsubscribed, and can undo that with the link in any alert email',
          mark: 'paused',
          remedy: null,
        };
  const states: Record<Exclude<Standing['state'], 'open'>, ChannelState> = {
    unconfirmed: { text: `Waiting for ${target} to confirm`, mark: 'soon', remedy: 'ask_again' },
    off: { text: 'Off', mark: 'paused', remedy: null },
    gone: {
      text: `The receiver reports that this address is gone${said}; create a new one there and enter it here`,
      mark: 'critical',
      remedy: 'edit',
    },
    failing: {
      text: `Switched off: deliveries failed for 5 days${said}`,
      mark: 'critical',
      remedy: 'try_again',
    },
    refused: {
      text: `The mail server rejected our emails${said}`,
      mark: 'critical',
      // An address of another person gets alerts again only after that person has confirmed again.
      remedy: key === OWN_MAIL ? 'try_again' : 'ask_again',
    },
    unsubscribed,
    broken: {
      text: 'The stored settings cannot be read, so we send nothing; enter them again',
      mark: 'critical',
      remedy: 'edit',
    },
    plan: {
      text: kind === 'email' ? 'Added recipients need Premium' : 'Needs Premium',
      mark: 'paused',
      remedy: 'upgrade',
    },
  };
  return states[state];
}

function openState(
  { detail, last_delivered_at: deliveredAt, failing_since: failingSince }: Standing,
  now: number,
): ChannelState {
  if (failingSince === null)
    return quiet(
      deliveredAt === null ? 'Nothing sent yet' : `Last delivered ${relativeTime(deliveredAt, now)}`,
    );
  const isNew = now - Date.parse(failingSince) < DAY_MS;
  const since = isNew
    ? `First failed ${relativeTime(failingSince, now)}`
    : `Failing since ${longDate(failingSince)}`;
  return {
    text: `${since}; we keep retrying${why(detail)}`,
    mark: 'soon',
    remedy: null,
  };
}

function why(detail: string | null): string {
  return detail === null || detail === '' ? '' : `: ${detail.replace(/\.$/, '')}`;
}
