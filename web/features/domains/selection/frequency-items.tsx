import { Lock } from 'lucide-react';
import { CHECK_FREQUENCIES } from '../../../../contract/words.ts';
import { useSubscription } from '../../../lib/subscription.ts';
import { MenuItem, MenuLabel } from '../../../ui/menu.tsx';

/** The four intervals as items of a menu. What the plan does not hold can be reached, and says why it does nothing. */
export function FrequencyItems({ onChoose }: { onChoose: (minutes: number) => void }) {
  const { isSubscribed } = useSubscription();
  return (
    <>
      {CHECK_FREQUENCIES.map(({ minutes, label, premium }) =>
        premium && !isSubscribed ? (
          <MenuItem key={minutes} aria-disabled onSelect={(event) => event.preventDefault()}>
            <span className="flex-1 text-fg-3">{label}</span>
            <span className="flex items-center gap-1 text-meta text-fg-3">
              <Lock strokeWidth={1.6} aria-hidden="true" className="size-3!" />
              Premium
            </span>
          </MenuItem>
        ) : (
          <MenuItem key={minutes} onSelect={() => onChoose(minutes)}>
            {label}
          </MenuItem>
        ),
      )}
      {!isSubscribed && <MenuLabel>Upgrade to premium to customize check frequency.</MenuLabel>}
    </>
  );
}
