import { useState } from 'react';
import { z } from 'zod';
import { NAME_MAX_LENGTH } from '../../../contract/words.ts';
import { lineSchema } from '../../../contract/text.ts';
import { messageOf } from '../../lib/api-error.ts';
import { useSignedIn } from '../../lib/account/current-user.ts';
import type { CurrentUser } from '../../lib/account/current-user.ts';
import { useDraft } from '../../lib/drafts.ts';
import { useForm } from '../../lib/form.ts';
import type { Form } from '../../lib/form.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/form/field.tsx';
import { SelectField } from '../../ui/form/select-field.tsx';
import { toast } from '../../ui/toast.tsx';
import { timeZoneOptions } from './time-zones.ts';
import { saveTimeZone, updateProfile } from './update-profile.ts';
import { browserTimeZone } from '../../lib/format.ts';

const profileSchema = z.object({
  fullName: lineSchema(NAME_MAX_LENGTH).min(1, 'Please enter your name'),
  company: lineSchema(NAME_MAX_LENGTH),
  timeZone: z.string(),
});
const draftSchema = z.object({ fullName: z.string(), company: z.string(), timeZone: z.string() });
type Profile = z.infer<typeof draftSchema>;

const profileOf = (user: CurrentUser): Profile => ({
  fullName: user.fullName,
  company: user.companyName,
  timeZone: user.timeZone ?? 'UTC',
});

function parsedDraft(draft: string): Profile | null {
  if (draft === '') return null;
  return draftSchema.safeParse(JSON.parse(draft)).data ?? null;
}

/** Edits name, company and time zone. The email is read-only. */
export function ProfileForm() {
  const { user, replaceUser } = useSignedIn();
  const [draft, setDraft, clearDraft] = useDraft('profile');
  const [initial] = useState(() => parsedDraft(draft) ?? profileOf(user));
  const { field, choice, values, submit, busy } = useForm(profileSchema, initial);
  const saved = profileOf(user);
  const isRenamed = values.fullName.trim() !== saved.fullName || values.company.trim() !== saved.company;
  const isMoved = values.timeZone !== saved.timeZone;

  const save = submit(async (profile) => {
    try {
      const renamed = isRenamed ? await updateProfile(user, profile) : user;
      replaceUser(renamed);
      if (isMoved) replaceUser(await saveTimeZone(renamed, profile.timeZone));
    } catch (error) {
      console.warn('The profile could not be updated.', error);
      toast.error(`Failed to update: ${messageOf(error)}`);
      return;
    }
    clearDraft(draft);
    toast.success('User updated successfully');
  });

  return (
    <form
      noValidate
      className="grid gap-4"
      onSubmit={save}
      onChange={(event) => {
        const typed = draftSchema.safeParse(Object.fromEntries(new FormData(event.currentTarget)));
        if (typed.success) setDraft(JSON.stringify(typed.data));
      }}
    >
      <Field label="Email" aside="Read-only" type="email" value={user.email} readOnly />
      <Field {...field('fullName')} label="Full Name" autoComplete="name" />
      <Field {...field('company')} label="Company" placeholder="Optional" autoComplete="organization" />
      <TimeZoneField {...choice('timeZone')} own={user.timeZone} />
      <div className="mt-1">
        <Button type="submit" disabled={!isRenamed && !isMoved} busy={busy} className="max-md:w-full">
          Update Profile
        </Button>
      </div>
    </form>
  );
}

interface TimeZoneFieldProps extends ReturnType<Form<string, unknown>['choice']> {
  /** The stored zone of the account. */
  own: string | null;
}

function TimeZoneField({ own, ...choice }: TimeZoneFieldProps) {
  const [options] = useState(() =>
    timeZoneOptions({ zones: Intl.supportedValuesOf('timeZone'), own, here: browserTimeZone() }),
  );
  return (
    <SelectField
      {...choice}
      label="Time zone"
      hint="Emails show times in this zone and UTC."
      options={options}
    />
  );
}
