import { useState } from 'react';
import { z } from 'zod';
import { NAME_MAX_LENGTH } from '../../../contract/words.ts';
import { lineSchema } from '../../../contract/text.ts';
import { type CurrentUser, useSignedIn } from '../../lib/account/current-user.ts';
import { useDraft } from '../../lib/drafts.ts';
import { useForm } from '../../lib/form.ts';
import { OverlapError, savedMeanwhileText, saveOnTop } from '../../lib/merge-changes.ts';
import { useWrite } from '../../lib/use-write.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/form/field.tsx';
import { SelectField } from '../../ui/form/select-field.tsx';
import { toast } from '../../ui/toast.tsx';
import { timeZoneOptions } from './time-zones.ts';
import { readUser, saveTimeZone, updateProfile } from './update-profile.ts';
import { browserTimeZone } from '../../lib/format.ts';

const profileSchema = z.object({
  fullName: lineSchema(NAME_MAX_LENGTH).min(1, 'Please enter your name'),
  company: lineSchema(NAME_MAX_LENGTH),
});
const fieldsSchema = z.object({ fullName: z.string(), company: z.string() });
type Profile = z.infer<typeof fieldsSchema>;
/** The typed profile, and the saved profile on which the typing began. */
const draftSchema = fieldsSchema.extend({ began: fieldsSchema.optional() });

const profileOf = (user: CurrentUser): Profile => ({
  fullName: user.fullName,
  company: user.companyName,
});

function parsedDraft(draft: string): z.infer<typeof draftSchema> | null {
  if (draft === '') return null;
  return draftSchema.safeParse(JSON.parse(draft)).data ?? null;
}

/** Edits name and company. The email is read-only. */
export function ProfileForm() {
  const [round, setRound] = useState(0);
  return <ProfileFields key={round} onOthersChanged={() => setRound(round + 1)} />;
}

/** `onOthersChanged` is called if another tab has saved a field that this tab did not change. */
function ProfileFields({ onOthersChanged }: { onOthersChanged: () => void }) {
  const { user, replaceUser } = useSignedIn();
  const [draft, setDraft, clearDraft] = useDraft('profile');
  const [initial] = useState(() => parsedDraft(draft) ?? profileOf(user));
  const [began, setBegan] = useState(() => parsedDraft(draft)?.began ?? profileOf(user));
  const { field, values, submit, busy, refuse } = useForm(profileSchema, initial);
  const isRenamed = values.fullName.trim() !== began.fullName || values.company.trim() !== began.company;

  const save = submit(async (profile) => {
    try {
      const saved = await saveOnTop(
        { lock: 'profile', before: began, after: profile },
        {
          read: () => readUser(user),
          valuesOf: profileOf,
          write: (merged, newest) => updateProfile(newest, merged),
          show: replaceUser,
        },
      );
      replaceUser(saved);
      setBegan(profile);
      clearDraft(draft);
      const { fullName, company } = profileOf(saved);
      if (fullName !== profile.fullName || company !== profile.company) onOthersChanged();
    } catch (error) {
      const overlaps = error instanceof OverlapError ? error.overlaps : [];
      for (const overlap of overlaps) {
        refuse(overlap.path === 'company' ? 'company' : 'fullName', savedMeanwhileText(overlap));
        // The message names the value that another tab saved. Saving again replaces that value.
        setBegan((former) => ({ ...former, [overlap.path]: String(overlap.saved) }));
      }
      if (overlaps.length > 0) return;
      console.warn('The profile could not be updated.', error);
      toast.failed('Failed to update', error);
      return;
    }
    toast.success('User updated successfully');
  });

  return (
    <form
      noValidate
      className="grid gap-4"
      onSubmit={save}
      onChange={(event) => {
        const typed = fieldsSchema.safeParse(Object.fromEntries(new FormData(event.currentTarget)));
        if (typed.success) setDraft(JSON.stringify({ ...typed.data, began }));
      }}
    >
      <Field label="Email" aside="Read-only" type="email" value={user.email} readOnly />
      <Field {...field('fullName')} label="Full Name" autoComplete="name" />
      <Field {...field('company')} label="Company" placeholder="Optional" autoComplete="organization" />
      <div className="mt-1">
        <Button type="submit" disabled={!isRenamed} busy={busy} className="max-md:w-full">
          Update Profile
        </Button>
      </div>
    </form>
  );
}

/** Chooses the time zone of emails and saves it at once. */
export function TimeZoneField() {
  const { user, replaceUser } = useSignedIn();
  const [options] = useState(() =>
    timeZoneOptions({
      zones: Intl.supportedValuesOf('timeZone'),
      own: user.timeZone,
      here: browserTimeZone(),
    }),
  );
  const { mutate, isPending, variables } = useWrite({
    scope: { id: 'time-zone' },
    mutationFn: (timeZone: string) => saveTimeZone(user, timeZone),
    onSuccess: (saved) => {
      replaceUser(saved);
      toast.success('Time zone saved.', { id: 'time-zone' });
    },
    onError: (error) => toast.failed('Failed to update', error),
  });
  return (
    <SelectField
      name="timeZone"
      label="Time zone"
      hint="Emails show times in this zone and UTC."
      value={isPending ? variables : (user.timeZone ?? 'UTC')}
      onChange={mutate}
      options={options}
    />
  );
}
