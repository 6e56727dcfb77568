import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useForm } from '../../lib/form.ts';
import { PASSWORD_MIN_LENGTH } from '../../../contract/words.ts';
import { resetPassword } from '../../../contract/calls/identity.ts';
import { call } from '../../lib/api-client.ts';
import { ApiError, messageOf } from '../../lib/api-error.ts';
import { useMailedToken } from '../../lib/mailed-token.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { PasswordField } from '../../ui/form/field.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { toast } from '../../ui/toast.tsx';
import { AuthCard } from '../../ui/auth-card.tsx';
import { newPasswordSchema } from './credentials.ts';
import { forgetSession } from './session.ts';

/** Handles the link of a password reset email. */
export function ResetPasswordPage() {
  usePageTitle('Set a new password');
  const token = useMailedToken();
  const [isDeadLink, setDeadLink] = useState(false);
  if (token === '' || isDeadLink)
    return (
      <AuthCard
        title={isDeadLink ? 'This link no longer works' : 'This link is incomplete'}
        subtitle={
          isDeadLink
            ? 'Links work once, for 30 minutes. Your password has not changed unless you already used this link.'
            : 'Open the link in the email, or copy all of it into the address bar.'
        }
      >
        <Link to="/forgot-password" className={`${buttonClass('primary', 'form')} mt-6 w-full`}>
          Send a new link
        </Link>
      </AuthCard>
    );
  return <NewPasswordCard token={token} onSpent={() => setDeadLink(true)} />;
}

function NewPasswordCard({ token, onSpent }: { token: string; onSpent: () => void }) {
  const navigate = useNavigate();
  const { field, submit, busy, refuse } = useForm(newPasswordSchema, { password: '' });

  const save = submit(async ({ password }) => {
    try {
      await call(resetPassword, { body: { token, password } });
    } catch (error) {
      const code = error instanceof ApiError ? error.code : null;
      if (code === 'invalid_token') onSpent();
      else refuse('password', messageOf(error));
      return;
    }
    forgetSession();
    toast.success('Password changed. Log in with the new one.');
    await navigate({ to: '/login', replace: true });
  });

  return (
    <AuthCard
      title="Set a new password"
      subtitle="This logs out every browser that uses your account. API tokens and the calendar link stop working."
    >
      <form noValidate className="mt-6 grid gap-4" onSubmit={save}>
        <PasswordField
          {...field('password')}
          label="New password"
          autoComplete="new-password"
          hint={`At least ${PASSWORD_MIN_LENGTH} characters`}
        />
        <Button type="submit" size="form" className="mt-1.5 w-full" busy={busy}>
          Set password
        </Button>
      </form>
    </AuthCard>
  );
}
