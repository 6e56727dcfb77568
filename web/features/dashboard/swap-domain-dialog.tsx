import { useState } from 'react';
import type { DomainWire } from '../../../contract/domain.ts';
import { useUpgrade } from '../../lib/account/plan.ts';
import { Button } from '../../ui/button.tsx';
import { CancelButton, Dialog, DialogActions, Form } from '../../ui/dialog.tsx';
import { useCheckedDomains } from '../../domain/domain-queries.ts';
import { counted } from '../../lib/format.ts';

interface SwapDomainDialogProps {
  /** The domain to resume; null while closed. */
  domain: DomainWire | null;
  /** How many domains Free checks. */
  limit: number;
  isBusy: boolean;
  onSwap: (domain: DomainWire, insteadOf: DomainWire) => void;
  onClose: () => void;
}

/** Asks which domain to pause, so that another one can be resumed within the plan's limit. */
export function SwapDomainDialog({ domain, onClose, limit, ...rest }: SwapDomainDialogProps) {
  return (
    <Dialog
      open={domain !== null}
      onOpenChange={(open) => (open || rest.isBusy ? undefined : onClose())}
      title={`Free checks ${counted(limit, 'domain')}. Which one should pause instead?`}
      description={
        domain && (
          <>
            We check <span className="font-mono text-fg">{domain.display_name}</span> immediately. You can
            swap back at any time.
          </>
        )
      }
    >
      {domain && <Choice key={domain.id} domain={domain} onClose={onClose} {...rest} />}
    </Dialog>
  );
}

type ChoiceProps = Omit<SwapDomainDialogProps, 'limit'> & { domain: DomainWire };

function Choice({ domain, isBusy, onSwap, onClose }: ChoiceProps) {
  const { isSold, open: openUpgrade } = useUpgrade();
  const [chosenId, setChosenId] = useState<string>();
  const checked = useCheckedDomains();
  const chosen = checked.find(({ id }) => id === chosenId);

  return (
    <Form
      onSubmit={() => {
        if (chosen) onSwap(domain, chosen);
      }}
    >
      <fieldset className="mt-4 grid overflow-hidden rounded-3 border border-line-2" disabled={isBusy}>
        <legend className="sr-only">Pause instead</legend>
        {checked.map(({ id, display_name: name }) => (
          <label
            key={id}
            className="flex min-h-11 items-center gap-3 border-t border-line px-3.5 py-2 first-of-type:border-t-0 hover:bg-sunken"
          >
            <input
              type="radio"
              name="instead-of"
              className="size-4 flex-none accent-[var(--primary)]"
              checked={id === chosenId}
              onChange={() => setChosenId(id)}
            />
            <span className="min-w-0 font-mono text-body [overflow-wrap:anywhere]">{name}</span>
          </label>
        ))}
      </fieldset>
      <DialogActions>
        {isSold && (
          <Button
            variant="tinted"
            className="md:mr-auto"
            onClick={() => {
              onClose();
              openUpgrade('request');
            }}
          >
            Upgrade to Premium
          </Button>
        )}
        <CancelButton onClick={onClose} />
        <Button type="submit" disabled={!chosen} busy={isBusy}>
          Swap
        </Button>
      </DialogActions>
    </Form>
  );
}
