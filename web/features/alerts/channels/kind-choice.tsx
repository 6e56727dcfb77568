import { Lock } from 'lucide-react';
import { useId } from 'react';
import { ChannelIcon } from '../../../ui/alert-settings/channel-icon.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { CHANNEL_KINDS } from '../../../ui/alert-settings/channel-kinds.ts';
import { CHANNEL_KIND_NAMES, CHANNEL_LABELS, type ChannelKindName } from '../../../../contract/words.ts';

interface KindChoiceProps {
  onChoose: (kind: ChannelKindName) => void;
  /** Why no kind can be chosen; null if they can. Locked kinds stay visible and show this reason. */
  lockedReason: string | null;
}

/** Lists the kinds of channels. */
export function KindChoice({ onChoose, lockedReason }: KindChoiceProps) {
  const id = useId();
  const isLocked = lockedReason !== null;
  return (
    <>
      <ul className="mt-5 grid gap-2 sm:grid-cols-2">
        {CHANNEL_KIND_NAMES.map((kind) => (
          <li key={kind}>
            <button
              type="button"
              aria-describedby={isLocked ? id : undefined}
              onClick={() => onChoose(kind)}
              className={classNames(
                'flex h-full min-h-[60px] w-full items-start gap-2.5 rounded-3 border px-3 py-2.5 text-left transition-[border-color,background-color] duration-120',
                isLocked
                  ? 'border-line bg-sunken text-fg-3'
                  : 'border-line-2 bg-surface shadow-1 hover:border-control hover:bg-sunken',
              )}
            >
              <ChannelIcon kind={kind} className="mt-0.5 text-fg-2" />
              <span className="min-w-0 flex-1">
                <span className="flex items-center justify-between gap-2 text-body font-medium">
                  {CHANNEL_LABELS[kind]}
                  {isLocked && (
                    <span className="flex items-center gap-1 text-small font-normal">
                      <Lock className="size-3 flex-none" strokeWidth={1.6} aria-hidden="true" />
                      Premium
                    </span>
                  )}
                </span>
                <span className="block text-meta text-fg-3">{CHANNEL_KINDS[kind].note}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
      {isLocked && (
        <p id={id} className="mt-3 text-meta text-fg-2">
          {lockedReason}
        </p>
      )}
    </>
  );
}
