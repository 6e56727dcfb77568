import { type RefObject, useRef, useState } from 'react';
import { CHECK_FREQUENCIES } from '../../../../contract/words.ts';
import { useSubscription } from '../../../lib/account/plan.ts';
import { usePublicConfig } from '../../../lib/public-config.ts';
import { Button } from '../../../ui/button.tsx';
import { CancelButton, Dialog, DialogActions, type DialogProps, Form } from '../../../ui/dialog.tsx';
import { Field } from '../../../ui/form/field.tsx';
import { LITERAL } from '../../../ui/form/search-field.tsx';
import { RadioCells } from '../../../ui/form/radio-cells.tsx';
import { lazyPart } from '../../../ui/lazy.tsx';
import { Skeleton } from '../../../ui/loading.tsx';
import { VerifyFirst } from '../../../ui/verify-address.tsx';
import { Disclosure } from '../../../domain/disclosure.tsx';
import { HostObstacle } from './host-obstacle.tsx';
import { type AddDomainOutcome, ENDPOINT_HINT, HOST_INPUT, useAddDomain } from './use-add-domain.ts';
import { grouped } from '../../../lib/format.ts';

const TargetFields = lazyPart(
  async () => (await import('./target-fields.tsx')).TargetFields,
  <Skeleton className="h-[242px] w-full" />,
);

const FREQUENCIES = CHECK_FREQUENCIES.map(({ minutes, label }) => ({ value: minutes, label }));

interface AddDomainDialogProps
  extends AddDomainOutcome, Pick<DialogProps, 'open' | 'onOpenChange' | 'focusAfterClose'> {
  /** How many domains there are. */
  tracked: number;
  onAddMany: () => void;
}

export function AddDomainDialog({
  open,
  onOpenChange,
  tracked,
  onAddMany,
  focusAfterClose,
  ...outcome
}: AddDomainDialogProps) {
  const { limits } = usePublicConfig();
  const input = useRef<HTMLInputElement>(null);
  const adding = useAddDomain(outcome);
  const cancel = () => {
    adding.clear();
    onOpenChange(false);
  };
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => (next ? onOpenChange(true) : cancel())}
      title="Add New Domain"
      description="Type a hostname or paste a URL."
      focusAfterClose={focusAfterClose}
      focusFirst={() => input.current}
    >
      {tracked >= limits.domains_before_proof && (
        <VerifyFirst to={`to track more than ${grouped(limits.domains_before_proof)} domains`} />
      )}
      <AddDomainForm
        input={input}
        adding={adding}
        onShow={(id) => {
          cancel();
          outcome.onShow(id);
        }}
        onCancel={cancel}
        onAddMany={() => {
          adding.leave();
          onAddMany();
        }}
      />
    </Dialog>
  );
}

interface AddDomainFormProps {
  input: RefObject<HTMLInputElement | null>;
  adding: ReturnType<typeof useAddDomain>;
  /** Called to show the domain with this id, which the account has already. */
  onShow: (id: string) => void;
  onCancel: () => void;
  onAddMany: () => void;
}

function AddDomainForm({ input, adding, onShow, onCancel, onAddMany }: AddDomainFormProps) {
  const { host, target, error, obstacle, isBusy, type, typeTarget, submit } = adding;
  const { isSubscribed } = useSubscription();
  const [isMoreOpen, setMoreOpen] = useState(false);
  const showsMore = isMoreOpen || (error !== undefined && error.field !== 'host');
  const set = Object.values(target).filter((text) => text.trim() !== '').length;
  return (
    <Form
      onSubmit={() => {
        submit();
        input.current?.focus();
      }}
    >
      <Field
        ref={input}
        className="mt-[18px]"
        label="Host Address"
        mono
        {...LITERAL}
        {...HOST_INPUT}
        value={host}
        hint={ENDPOINT_HINT}
        error={
          (error?.field === 'host' ? error.message : undefined) ??
          (obstacle && <HostObstacle obstacle={obstacle} onShow={onShow} />)
        }
        onChange={(event) => type(event.target.value)}
      />
      {isSubscribed && (
        <div className="mt-4">
          <p className="mb-1.5 text-label font-medium">Check Frequency</p>
          <RadioCells<number>
            label="Check Frequency"
            className="grid-cols-2 sm:grid-cols-4 [&>button]:min-h-11"
            cells={FREQUENCIES}
            chosen={adding.minutes}
            onChoose={adding.chooseMinutes}
          />
        </div>
      )}
      <Disclosure
        className="mt-3"
        summary={set === 0 ? 'More' : `More (${set} set)`}
        isOpen={showsMore}
        onToggle={setMoreOpen}
      >
        {showsMore && <TargetFields target={target} error={error} onType={typeTarget} />}
      </Disclosure>
      <DialogActions>
        <Button variant="ghost" className="md:mr-auto md:-ml-3.5" onClick={onAddMany}>
          Import domains
        </Button>
        <CancelButton onClick={onCancel} />
        <Button type="submit" busy={isBusy}>
          {obstacle?.domainId === null ? 'Add anyway' : 'Add'}
          {!isBusy && (
            <kbd
              aria-hidden="true"
              className="hidden min-w-5 rounded-1 border border-current px-1 text-center font-mono text-[11px]/[18px] font-normal opacity-80 md:inline"
            >
              ↵
            </kbd>
          )}
        </Button>
      </DialogActions>
    </Form>
  );
}
