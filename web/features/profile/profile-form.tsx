import { useState } from 'react';
import { z } from 'zod';
import { NAME_MAX_LENGTH } from '../../../contract/words.ts';
import { lineSchema } from '../../../contract/text.ts';
import { messageOf } from '../../lib/api-error.ts';
import { useSignedIn } from '../../lib/current-user.ts';
import type { CurrentUser } from '../../lib/current-user.ts';
import { useDraft } from '../../lib/draft.ts';
import { useForm } from '../../lib/form.ts';
import { browserTimeZone } from '../../lib/time-zone.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { SelectField } from '../../ui/select-field.tsx';
import type { SelectFieldProps } from '../../ui/select-field.tsx';
import { toast } from '../../ui/toast.tsx';
import { saveTimeZone, updateProfile } from './profile-calls.ts';
import { timeZoneGroups } from './time-zones.ts';

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

/** Name, company and time zone; the address stays what it is. */
export function ProfileForm() {
  const { user, replaceUser } = useSignedIn();
  const [draft, setDraft, clearDraft] = useDraft('profile');
  const [initial] = useState(() => parsedDraft(draft) ?? profileOf(user));
  const { field, values, submit, busy } = useForm(profileSchema, initial);
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
      <TimeZoneField {...field('timeZone')} own={user.timeZone} />
      <div className="mt-1">
        <Button type="submit" disabled={!isRenamed && !isMoved} busy={busy} className="max-md:w-full">
          Update Profile
        </Button>
      </div>
    </form>
  );
}

interface TimeZoneFieldProps extends Omit<SelectFieldProps, 'label' | 'hint'> {
  /** The account's, as it is stored. */
  own: string | null;
}

function TimeZoneField({ own, ...field }: TimeZoneFieldProps) {
  const [groups] = useState(() => timeZoneGroups(Intl.supportedValuesOf('timeZone'), own));
  const here = browserTimeZone();
  return (
    <SelectField {...field} label="Time zone" hint="Dates in mails are told in this zone and in UTC.">
      <option value="UTC">UTC only</option>
      {here !== own && here !== 'UTC' && (
        <optgroup label="This browser">
          <option value={here}>{here.replaceAll('_', ' ')}</option>
        </optgroup>
      )}
      {groups.map(({ region, zones }) => (
        <optgroup key={region} label={region}>
          {zones.map(({ zone, label }) => (
            <option key={zone} value={zone}>
              {label}
            </option>
          ))}
        </optgroup>
      ))}
    </SelectField>
  );
}
