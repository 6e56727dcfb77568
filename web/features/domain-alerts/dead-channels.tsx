import { Link } from '@tanstack/react-router';
import type { ChannelWire } from '../../../contract/channel.ts';
import { useChannels } from '../../lib/alerts/alert-queries.ts';
import { CHANNEL_MARKS, channelState } from '../../lib/alerts/channel-state.ts';
import { plural } from '../../lib/format.ts';
import { useNow } from '../../lib/use-now.ts';
import { Glyph } from '../../ui/glyph.tsx';
import { visibleText } from '../../ui/visible-text.ts';

const DEAD: readonly ChannelWire['state'][] = [
  'unconfirmed',
  'gone',
  'failing',
  'refused',
  'unsubscribed',
  'broken',
];

/** Lists the channels of a choice (null: all) that cannot receive alerts although their owner did not switch them off. */
export function DeadChannels({ chosen }: { chosen: readonly string[] | null }) {
  const { data: channels = [] } = useChannels();
  const now = useNow();
  const dead = channels.filter(
    ({ key, state }) => DEAD.includes(state) && (chosen === null || chosen.includes(key)),
  );
  if (dead.length === 0) return null;
  return (
    <div className="text-label">
      <p className="mb-1.5 font-[520]">
        {plural(dead.length, 'This channel cannot receive alerts:', 'These channels cannot receive alerts:')}
      </p>
      <ul className="grid gap-1.5">
        {dead.map((channel) => {
          const { text, mark } = channelState(channel, now);
          const { glyph, colour } = CHANNEL_MARKS[mark ?? 'paused'];
          return (
            <li key={channel.key} className="flex gap-1.5 [overflow-wrap:anywhere]">
              <Glyph name={glyph} className={`mt-0.5 size-[13px] ${colour}`} />
              <span className="min-w-0">
                <bdi className="font-[520]">{visibleText(channel.name)}</bdi>: {visibleText(text)}.
              </span>
            </li>
          );
        })}
      </ul>
      <Link to="/alerts" className="link mt-1 ml-[19px] inline-block">
        See your channels
      </Link>
    </div>
  );
}
