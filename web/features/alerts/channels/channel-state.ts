import { OWN_MAIL } from '../../../../contract/channel.ts';
import type { ChannelWire } from '../../../../contract/channel.ts';
import { longDate, relativeTime } from '../../../lib/dates.ts';
import { DAY_MS } from '../../../../contract/durations.ts';

export interface ChannelState {
  text: string;
  /** null: all is well. */
  glyph: 'soon' | 'critical' | 'paused' | null;
  /** What its owner can do about it. */
  remedy: 'try_again' | 'get_again' | 'ask_again' | 'upgrade' | 'edit' | null;
}

type Standing = Pick<
  ChannelWire,
  'key' | 'kind' | 'state' | 'target' | 'detail' | 'last_delivered_at' | 'failing_since'
>;

const quiet = (text: string): ChannelState => ({ text, glyph: null, remedy: null });

/** Where a channel stands, and what to do about it. */
export function channelState(channel: Standing, now: number): ChannelState {
  const { key, kind, state, target, detail } = channel;
  if (state === 'open') return openState(channel, now);
  const said = why(detail);
  const unsubscribed: ChannelState =
    key === OWN_MAIL
      ? { text: 'You asked for no more alert mail', glyph: 'critical', remedy: 'get_again' }
      : {
          text: 'Its reader asked for no more mail, and can undo that with the link in any of it',
          glyph: 'paused',
          remedy: null,
        };
  const states: Record<Exclude<Standing['state'], 'open'>, ChannelState> = {
    unconfirmed: { text: `Waiting for ${target} to confirm`, glyph: 'soon', remedy: 'ask_again' },
    off: { text: 'Off', glyph: 'paused', remedy: null },
    gone: {
      text: `Its receiver says that it is gone${said}. Make a new address there, and enter it here`,
      glyph: 'critical',
      remedy: 'edit',
    },
    failing: {
      text: `Switched off: nothing arrived for five days${said}`,
      glyph: 'critical',
      remedy: 'try_again',
    },
    refused: {
      text: `The address refused our mail${said}`,
      glyph: 'critical',
      // Somebody else's address gets mail again when its reader agrees once more.
      remedy: key === OWN_MAIL ? 'try_again' : 'ask_again',
    },
    unsubscribed,
    broken: {
      text: 'Its settings cannot be read, so nothing is sent to it. Enter them again',
      glyph: 'critical',
      remedy: 'edit',
    },
    plan: {
      text: kind === 'email' ? 'Added recipients need Premium' : 'Needs Premium',
      glyph: 'paused',
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
    : `Nothing arrived since ${longDate(failingSince)}`;
  return {
    text: `${since}; we keep trying${why(detail)}`,
    glyph: 'soon',
    remedy: null,
  };
}

function why(detail: string | null): string {
  return detail === null || detail === '' ? '' : `: ${detail.replace(/\.$/, '')}`;
}
