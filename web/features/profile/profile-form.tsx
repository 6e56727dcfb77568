import { z } from 'zod';
import { messageOf } from '../../lib/api-error.ts';
import { useSignedIn } from '../../lib/current-user.ts';
import { useForm } from '../../lib/form.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.tsx';
import { updateProfile } from './profile-calls.ts';

const profileSchema = z.object({
  fullName: z.string().trim().min(1, 'Please enter your name'),
  company: z.string().trim(),
});

/** Name and company; the address stays what it is. */
export function ProfileForm() {
  const { user, replaceUser } = useSignedIn();
  const { field, values, submit, busy } = useForm(profileSchema, {
    fullName: user.fullName,
    company: user.companyName,
  });
  const changed = values.fullName.trim() !== user.fullName || values.company.trim() !== user.companyName;

  const save = submit(async (profile) => {
    try {
      replaceUser(await updateProfile(user, profile));
    } catch (error) {
      console.warn('The profile could not be updated.', error);
      toast.error(`Failed to update: ${messageOf(error)}`);
      return;
    }
    toast.success('User updated successfully');
  });

  return (
    <form noValidate className="grid gap-4" onSubmit={save}>
      <Field label="Email" aside="Read-only" type="email" value={user.email} readOnly />
      <Field {...field('fullName')} label="Full Name" autoComplete="name" />
      <Field {...field('company')} label="Company" placeholder="Optional" autoComplete="organization" />
      <div className="mt-1">
        <Button type="submit" disabled={!changed} busy={busy} className="max-md:w-full">
          Update Profile
        </Button>
      </div>
    </form>
  );
}
