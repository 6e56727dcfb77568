import { useState } from 'react';
import type { ReactNode } from 'react';
import { zodResolver } from '@hookform/resolvers/zod';
import { useForm, useWatch } from 'react-hook-form';
import { z } from 'zod';
import { messageOf } from '../../lib/api-error.ts';
import { useSignedIn } from '../../lib/current-user.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { toast } from '../../ui/toast.tsx';
import { deleteAccount, updateProfile } from './profile-calls.ts';

export function ProfilePage() {
  usePageTitle('Profile');
  return (
    <div className="wrap max-w-[776px] pt-6 pb-14 md:pt-9">
      <h1 tabIndex={-1} className="text-[21px]/[27px] font-bold tracking-[-.022em] md:text-page">
        Profile
      </h1>
      <Row title="Account" description="Your email is also where alerts go.">
        <ProfileForm />
      </Row>
      <Row title="Delete account" description="Removes your domains and their history.">
        <DeleteAccount />
      </Row>
    </div>
  );
}

function Row({ title, description, children }: { title: string; description: string; children: ReactNode }) {
  return (
    <section className="grid gap-4 border-b border-line py-7 last:border-0 md:grid-cols-[240px_1fr] md:gap-10">
      <div>
        <h2 className="text-lead/5 font-semibold">{title}</h2>
        <p className="mt-1 text-[13.5px]/5 text-fg-2">{description}</p>
      </div>
      <div>{children}</div>
    </section>
  );
}

const profileSchema = z.object({
  fullName: z.string().trim().min(1, 'Please enter your name'),
  company: z.string().trim(),
});

function ProfileForm() {
  const { user, replaceUser } = useSignedIn();
  const { register, handleSubmit, formState, control } = useForm({
    resolver: zodResolver(profileSchema),
    values: { fullName: user.fullName, company: user.companyName },
  });
  const { errors, isSubmitting } = formState;
  const { fullName, company } = useWatch({ control });
  const changed = fullName?.trim() !== user.fullName || company?.trim() !== user.companyName;

  const save = handleSubmit(async (profile) => {
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
    <form noValidate className="grid gap-4" onSubmit={(event) => void save(event)}>
      <Field label="Email" aside="Read-only" type="email" value={user.email} readOnly />
      <Field
        {...register('fullName')}
        label="Full Name"
        autoComplete="name"
        error={errors.fullName?.message}
      />
      <Field
        {...register('company')}
        label="Company"
        placeholder="Optional"
        autoComplete="organization"
        error={errors.company?.message}
      />
      <div className="mt-1">
        <Button type="submit" disabled={!changed} busy={isSubmitting} className="max-md:w-full">
          Update Profile
        </Button>
      </div>
    </form>
  );
}

function DeleteAccount() {
  const { leave } = useSignedIn();
  const [asking, setAsking] = useState(false);
  const [processing, setProcessing] = useState(false);

  const confirm = async () => {
    setProcessing(true);
    try {
      await deleteAccount();
    } catch (error) {
      console.warn('The account could not be deleted.', error);
      toast.error(`Failed to delete the account: ${messageOf(error)}`);
      setProcessing(false);
      return;
    }
    await leave();
  };

  return (
    <>
      <Button variant="danger-outline" className="max-md:w-full" onClick={() => setAsking(true)}>
        Delete Account
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title="Delete account"
        description="Are you sure you want to delete your account? This action cannot be undone."
        processing={processing}
        onConfirm={() => void confirm()}
      />
    </>
  );
}
