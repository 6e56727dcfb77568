import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { useAlertCache, useRereadAlerts } from '../../../lib/alerts/alert-queries.ts';
import { addChannel } from '../../../lib/alerts/channel-calls.ts';
import type { ChannelAdded } from '../../../lib/alerts/channel-calls.ts';
import { useForm } from '../../../lib/form.ts';
import { Button } from '../../../ui/button.tsx';
import { Field } from '../../../ui/field.tsx';
import { ChannelFields } from './channel-fields.tsx';
import { CHANNEL_KINDS } from '../../../ui/alert-settings/channel-kinds.ts';
import { tellRefusal } from './refusals.ts';
import { emptyTexts, newChannelSchema } from './typed-channel.ts';
import type { ChannelKindName } from '../../../../contract/words.ts';

interface AddChannelFormProps {
  kind: ChannelKindName;
  onAdded: (added: ChannelAdded) => void;
  /** Leads back to the kinds. */
  back: ReactNode;
}

/** Takes what a kind of channel needs, and adds it. */
export function AddChannelForm({ kind, onAdded, back }: AddChannelFormProps) {
  const cache = useAlertCache();
  const reread = useRereadAlerts();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector('input')?.focus(), []);
  const [initial] = useState(() => emptyTexts(kind));
  const [schema] = useState(() => newChannelSchema(kind));
  const { field, submit, busy, refuse } = useForm<string, ReturnType<typeof schema.parse>>(schema, initial);

  const add = submit(async (channel) => {
    try {
      const added = await addChannel(channel);
      cache.putChannel(added.channel);
      reread();
      onAdded(added);
    } catch (error) {
      tellRefusal(error, kind, refuse);
    }
  });
  return (
    <form ref={form} noValidate className="mt-5 grid gap-4" onSubmit={add}>
      <ChannelFields kind={kind} field={field} />
      <Field
        {...field('name')}
        label="Name"
        aside="Optional"
        maxLength={80}
        autoComplete="off"
        placeholder={CHANNEL_KINDS[kind].label}
      />
      <div className="mt-1 flex flex-wrap gap-2 max-md:flex-col-reverse">
        {back}
        <span className="flex-1 max-md:hidden" />
        <Button type="submit" busy={busy}>
          Add channel
        </Button>
      </div>
    </form>
  );
}
