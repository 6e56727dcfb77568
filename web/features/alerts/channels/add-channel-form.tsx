import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useRereadAlerts } from '../../../lib/alerts/alert-queries.ts';
import { addChannel } from '../../../../contract/calls/alert.ts';
import type { ChannelAddedWire } from '../../../../contract/channel.ts';
import { call } from '../../../lib/api-client.ts';
import { useForm } from '../../../lib/form.ts';
import { Button } from '../../../ui/button.tsx';
import { ReversedOnPhone } from '../../../ui/dialog.tsx';
import { Field } from '../../../ui/form/field.tsx';
import { ChannelFields, showRefusal } from './channel-fields.tsx';
import { initialTexts, newChannelSchema } from './typed-channel.ts';
import { CHANNEL_LABELS, type ChannelKindName } from '../../../../contract/words.ts';

interface AddChannelFormProps {
  kind: ChannelKindName;
  onAdded: (added: ChannelAddedWire) => void;
  /** Button that leads back to the choice of kinds. */
  back: ReactNode;
}

/** Asks for the settings of a new channel of one kind. */
export function AddChannelForm({ kind, onAdded, back }: AddChannelFormProps) {
  const reread = useRereadAlerts();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector('input')?.focus(), []);
  const [initial] = useState(() => initialTexts(kind));
  const [schema] = useState(() => newChannelSchema(kind));
  const { field, choice, submit, busy, refuse } = useForm<string, ReturnType<typeof schema.parse>>(
    schema,
    initial,
  );

  const add = submit(async (channel) => {
    try {
      const added = await call(addChannel, { body: channel });
      void reread();
      onAdded(added);
    } catch (error) {
      showRefusal(error, kind, refuse);
    }
  });
  return (
    <form ref={form} noValidate className="mt-5 grid gap-4" onSubmit={add}>
      <ChannelFields kind={kind} field={field} choice={choice} />
      <Field
        {...field('name')}
        label="Name"
        aside="Optional"
        maxLength={80}
        autoComplete="off"
        placeholder={CHANNEL_LABELS[kind]}
      />
      <div className="mt-1 flex flex-wrap gap-2 max-md:flex-col">
        <ReversedOnPhone>
          {back}
          <span className="flex-1 max-md:hidden" />
          <Button type="submit" busy={busy}>
            Add channel
          </Button>
        </ReversedOnPhone>
      </div>
    </form>
  );
}
