import { Lock } from 'lucide-react';
import { useId } from 'react';
import { setFrequency } from '../../../contract/calls/domain.ts';
import { CHECK_FREQUENCIES } from '../../../contract/words.ts';
import type { DomainWire } from '../../../contract/domain.ts';
import { call } from '../../lib/api-client.ts';
import { useSubscription } from '../../lib/account/plan.ts';
import { useWrite } from '../../lib/use-write.ts';
import { RadioCells } from '../../ui/form/radio-cells.tsx';
import { toast } from '../../ui/toast.tsx';
import { useDomainCache } from '../../domain/domain-cache.ts';
import { PanelSection } from '../../domain/panel-section.tsx';

const PREMIUM = (
  <>
    <Lock className="size-3 flex-none" strokeWidth={1.6} aria-hidden="true" />
    Premium
  </>
);

/** Chooses the check frequency. Options that need Premium stay focusable and say why they are disabled. */
export function CheckFrequency({ domain }: { domain: DomainWire }) {
  const { isSubscribed } = useSubscription();
  const cache = useDomainCache();
  const hintId = useId();
  const { mutate, isPending, variables } = useWrite({
    mutationFn: (minutes: number) =>
      call(setFrequency, { params: { id: domain.id }, query: { check_frequency: minutes } }),
    onSuccess: (changed) => {
      cache.put(changed);
      toast.success('Check frequency updated!');
    },
    onError: (error) => toast.failed('Domain update failed', error),
  });

  return (
    <PanelSection title="Check Frequency">
      <RadioCells<number>
        label="Check Frequency"
        className="grid-cols-2 sm:grid-cols-4"
        cells={CHECK_FREQUENCIES.map(({ minutes, label, premium }) => ({
          value: minutes,
          label,
          ...(premium && !isSubscribed && { note: PREMIUM }),
          isLocked: premium && !isSubscribed,
        }))}
        chosen={isPending ? variables : domain.check_every_minutes}
        isPending={isPending}
        lockedHintId={hintId}
        onChoose={mutate}
      />
      {!isSubscribed && (
        <p id={hintId} className="mt-2.5 text-meta text-fg-2">
          Upgrade to premium to customize check frequency.
        </p>
      )}
    </PanelSection>
  );
}
