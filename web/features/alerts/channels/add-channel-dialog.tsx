import { ArrowLeft } from 'lucide-react';
import { useState } from 'react';
import type { ChannelAddedWire } from '../../../../contract/channel.ts';
import { useSubscription, useUpgrade } from '../../../lib/account/plan.ts';
import { DeliveryReceipt } from '../../../ui/alert-settings/delivery-receipt.tsx';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions, type DialogProps } from '../../../ui/dialog.tsx';
import { useKeptFocus } from '../../../ui/form/use-kept-focus.ts';
import { VerifyFirst } from '../../../ui/verify-address.tsx';
import { AddChannelForm } from './add-channel-form.tsx';
import { CHANNEL_KINDS } from '../../../ui/alert-settings/channel-kinds.ts';
import { KindChoice } from './kind-choice.tsx';
import { SigningKey } from './signing-key.tsx';
import { useChannelTest } from './use-channel-test.ts';
import { CHANNEL_LABELS, type ChannelKindName } from '../../../../contract/words.ts';

type Step = { at: 'kind' } | { at: 'form'; kind: ChannelKindName } | { at: 'added'; added: ChannelAddedWire };

interface AddChannelDialogProps extends Pick<DialogProps, 'open' | 'onOpenChange' | 'focusAfterClose'> {
  /** The preselected kind, if the plan includes channels. */
  kind?: ChannelKindName | undefined;
}

/** Adds a channel: choose the kind, enter its settings, send a test. */
export function AddChannelDialog({ kind, open, onOpenChange, focusAfterClose }: AddChannelDialogProps) {
  const { isSubscribed } = useSubscription();
  const [step, setStep] = useState<Step>(isSubscribed && kind ? { at: 'form', kind } : { at: 'kind' });
  const close = () => {
    onOpenChange(false);
    setStep({ at: 'kind' });
  };
  return (
    <Dialog
      open={open}
      onOpenChange={(isOpen) => (isOpen ? onOpenChange(true) : close())}
      focusAfterClose={focusAfterClose}
      hasCross
      isKept={step.at === 'added' && step.added.secret !== null}
      {...wordsOf(step)}
    >
      {step.at !== 'added' && isSubscribed && (
        <VerifyFirst to="to send alerts to channels other than your own address" />
      )}
      {step.at === 'kind' && <Kinds onChoose={(kind) => setStep({ at: 'form', kind })} onClose={close} />}
      {step.at === 'form' && (
        <>
          <ol className="mt-4 grid list-decimal grid-cols-[minmax(0,1fr)] gap-1.5 pl-5 text-label [overflow-wrap:anywhere] text-fg-2 marker:text-fg-3">
            {CHANNEL_KINDS[step.kind].steps.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ol>
          <AddChannelForm
            key={step.kind}
            kind={step.kind}
            onAdded={(added) => setStep({ at: 'added', added })}
            back={
              <Button variant="ghost" className="md:-ml-3.5" onClick={() => setStep({ at: 'kind' })}>
                <ArrowLeft className="size-4" strokeWidth={1.6} aria-hidden="true" />
                Other kinds
              </Button>
            }
          />
        </>
      )}
      {step.at === 'added' && <Added added={step.added} onClose={close} />}
    </Dialog>
  );
}

function wordsOf(step: Step): Pick<DialogProps, 'title' | 'description'> {
  if (step.at === 'kind') return { title: 'Add channel', description: 'Where else should alerts go?' };
  if (step.at === 'form') return { title: `Add ${CHANNEL_LABELS[step.kind]}` };
  const { channel } = step.added;
  return channel.kind === 'email'
    ? {
        title: 'One step left',
        description: `We sent a link to ${channel.target}. We send no alerts there until the recipient confirms.`,
      }
    : { title: `${channel.name} added`, description: 'Send a test to make sure that messages arrive.' };
}

function Kinds({ onChoose, onClose }: { onChoose: (kind: ChannelKindName) => void; onClose: () => void }) {
  const { isSubscribed } = useSubscription();
  const { isSold, open } = useUpgrade();
  return (
    <KindChoice
      lockedReason={
        isSubscribed ? null : 'Upgrade to premium to send alerts to channels other than your own email.'
      }
      onChoose={(kind) => {
        if (isSubscribed) onChoose(kind);
        else if (isSold) {
          onClose();
          open('request');
        }
      }}
    />
  );
}

function Added({ added: { channel, secret }, onClose }: { added: ChannelAddedWire; onClose: () => void }) {
  const test = useChannelTest(channel.key);
  const isOpen = channel.state === 'open';
  const focus = useKeptFocus<HTMLDivElement>();
  return (
    <>
      {secret !== null && <SigningKey secret={secret} />}
      {test.receipt && (
        <section
          aria-label={`Test of ${channel.name}`}
          className="mt-5 rounded-3 border border-line bg-sunken px-3.5 py-3"
        >
          <DeliveryReceipt delivery={test.receipt} hasTitle={false} />
        </section>
      )}
      <div {...focus}>
        <DialogActions>
          {isOpen && !test.receipt ? (
            <>
              <Button variant="outline" onClick={onClose}>
                Done
              </Button>
              <Button busy={test.isSending} onClick={test.send}>
                Send a test
              </Button>
            </>
          ) : (
            <Button onClick={onClose}>Done</Button>
          )}
        </DialogActions>
      </div>
    </>
  );
}
