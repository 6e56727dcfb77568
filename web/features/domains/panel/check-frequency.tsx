import { useMutation } from '@tanstack/react-query';
import { Check, Lock } from 'lucide-react';
import { useId } from 'react';
import type { KeyboardEvent } from 'react';
import { CHECK_FREQUENCIES } from '../../../../contract/constants.ts';
import type { DomainWire } from '../../../../contract/domain.ts';
import { messageOf } from '../../../lib/api-client.ts';
import { usePublicConfig } from '../../../lib/public-config.ts';
import { useSubscription } from '../../../lib/subscription.ts';
import { classNames } from '../../../ui/class-names.ts';
import { Spinner } from '../../../ui/spinner.tsx';
import { toast } from '../../../ui/toast.tsx';
import { changeFrequency } from '../domain-calls.ts';
import { useDomainCache } from '../domain-cache.ts';
import { PanelSection } from './panel-section.tsx';

/** How often the domain is checked. What the plan does not hold stays focusable and says why. */
export function CheckFrequency({ domain }: { domain: DomainWire }) {
  const { isSubscribed } = useSubscription();
  const { billing } = usePublicConfig();
  const cache = useDomainCache();
  const hintId = useId();
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (minutes: number) => changeFrequency(domain.id, minutes),
    onSuccess: (changed) => {
      cache.put(changed);
      toast.success('Check frequency updated!');
    },
    onError: (error) => toast.error(`Domain update failed: ${messageOf(error)}`),
  });
  const chosen = isPending ? variables : domain.check_every_minutes;
  const isOffered = CHECK_FREQUENCIES.some(({ minutes }) => minutes === chosen);

  return (
    <PanelSection title="Check Frequency">
      <div
        role="radiogroup"
        aria-label="Check Frequency"
        className="grid grid-cols-2 overflow-hidden rounded-3 border border-line-2 bg-line [column-gap:1px] [row-gap:1px] sm:grid-cols-4"
      >
        {CHECK_FREQUENCIES.map(({ minutes, label, premium }, index) => {
          const isLocked = premium && !isSubscribed;
          const isChosen = minutes === chosen;
          return (
            <button
              key={minutes}
              type="button"
              role="radio"
              aria-checked={isChosen}
              aria-disabled={isLocked || isPending || undefined}
              aria-describedby={isLocked ? hintId : undefined}
              tabIndex={isChosen || (!isOffered && index === 0) ? 0 : -1}
              onKeyDown={moveAmongRadios}
              onClick={() => {
                if (!isLocked && !isPending && !isChosen) mutate(minutes);
              }}
              className={classNames(
                'min-h-[52px] px-[10px] pt-2 pb-[9px] text-left text-label font-medium -outline-offset-2',
                isLocked ? 'bg-sunken text-fg-3 cursor-not-allowed!' : 'bg-surface',
                isPending && !isChosen && !isLocked && 'text-fg-3',
                isChosen && 'rounded-[7px] shadow-[inset_0_0_0_1.5px_var(--fg)] forced-colors:border-2',
              )}
            >
              <span className="flex items-center justify-between">
                {label}
                {isChosen &&
                  (isPending ? (
                    <Spinner className="size-3.5 text-fg-3" />
                  ) : (
                    <Check className="size-4" strokeWidth={1.6} aria-hidden="true" />
                  ))}
              </span>
              {isLocked ? (
                <span className="flex items-center gap-1 text-small font-normal">
                  <Lock className="size-3" strokeWidth={1.6} aria-hidden="true" />
                  Premium
                </span>
              ) : (
                billing.mode !== 'none' && (
                  <span className="text-small font-normal text-fg-3">{premium ? 'Premium' : 'Free'}</span>
                )
              )}
            </button>
          );
        })}
      </div>
      {!isSubscribed && (
        <p id={hintId} className="mt-2.5 text-meta text-fg-2">
          Upgrade to premium to customize check frequency.
        </p>
      )}
    </PanelSection>
  );
}

/** Arrow keys move the focus only: choosing makes a call, so it takes Space, Enter or a press. */
function moveAmongRadios(event: KeyboardEvent<HTMLButtonElement>): void {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const group = event.currentTarget.closest('[role=radiogroup]');
  const radios = Array.from(group?.querySelectorAll<HTMLButtonElement>('[role=radio]') ?? []);
  const index = radios.indexOf(event.currentTarget);
  radios[(index + step + radios.length) % radios.length]?.focus();
}
