import { useState } from 'react';
import type { ChannelWire } from '../../../../contract/channel.ts';
import { useRereadAlerts } from '../../../lib/alerts/alert-queries.ts';
import { changeChannel } from '../../../../contract/calls/alert.ts';
import { call } from '../../../lib/api-client.ts';
import { useForm } from '../../../lib/form.ts';
import { Button } from '../../../ui/button.tsx';
import { CancelButton, Dialog, DialogActions, type OpenState } from '../../../ui/dialog.tsx';
import { Field } from '../../../ui/form/field.tsx';
import { toast } from '../../../ui/toast.tsx';
import { ChannelFields, showRefusal } from './channel-fields.tsx';
import { CHANNEL_KINDS } from '../../../ui/alert-settings/channel-kinds.ts';
import { changedChannelSchema } from './typed-channel.ts';
import { CHANNEL_LABELS } from '../../../../contract/words.ts';

interface EditChannelDialogProps extends OpenState {
  channel: ChannelWire;
}

/** Renames a channel or changes its settings. */
export function EditChannelDialog({ channel, open, onOpenChange }: EditChannelDialogProps) {
  const isMail = channel.kind === 'email';
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={`Edit ${CHANNEL_LABELS[channel.kind]}`}
      description={
        isMail
          ? 'The recipient has to confirm a new address first.'
          : 'We do not show the stored settings. Leave the fields as they are to keep them, or fill in all of them to replace them.'
      }
    >
      <EditForm channel={channel} onDone={() => onOpenChange(false)} />
    </Dialog>
  );
}

function EditForm({ channel, onDone }: { channel: ChannelWire; onDone: () => void }) {
  const { key, kind, name, target, state } = channel;
  const reread = useRereadAlerts();
  const [began] = useState(() => ({
    ...Object.fromEntries(
      CHANNEL_KINDS[kind].fields.map(({ name: field, choices, isOptional }): [string, string] => [
        field,
        field === 'address' && state !== 'broken' ? target : (!isOptional && choices?.[0]?.value) || '',
      ]),
    ),
    name,
  }));
  const [schema] = useState(() => changedChannelSchema(kind, began));
  const { field, choice, submit, busy, refuse } = useForm<string, ReturnType<typeof schema.parse>>(
    schema,
    began,
  );

  const save = submit(async (change) => {
    try {
      await call(changeChannel, { params: { key }, body: change });
      void reread();
      toast.success('Channel saved.');
      onDone();
    } catch (error) {
      showRefusal(error, kind, refuse);
    }
  });
  return (
    <form noValidate className="mt-5 grid gap-4" onSubmit={save}>
      <Field {...field('name')} label="Name" maxLength={80} autoComplete="off" />
      <ChannelFields kind={kind} field={field} choice={choice} isKnown />
      <DialogActions>
        <CancelButton onClick={onDone} />
        <Button type="submit" busy={busy}>
          Save
        </Button>
      </DialogActions>
    </form>
  );
}
