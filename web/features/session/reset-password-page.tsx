import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useForm } from '../../lib/form.ts';
import { PASSWORD_MIN_LENGTH } from '../../../contract/words.ts';
import { ApiError, messageOf } from '../../lib/api-error.ts';
import { useMailedToken } from '../../lib/mailed-token.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { PasswordField } from '../../ui/field.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { toast } from '../../ui/toast.tsx';
import { AuthCard } from '../../ui/auth-card.tsx';
import { newPasswordSchema } from './credentials.ts';
import { setNewPassword } from './mailed-link.ts';
import { forgetSession } from './session.ts';

/** Where the link of the password mail leads. */
export function ResetPasswordPage() {
  usePageTitle('Set a new password');
  const token = useMailedToken();
  const [isSpent, setSpent] = useState(false);
  if (token === '' || isSpent)
    return (
      <AuthCard
        title="This link is no longer good"
        subtitle="It works once, and for 30 minutes. Your password is as it was, unless you have used the link already."
      >
        <Link to="/forgot-password" className={`${buttonClass('primary', 'form')} mt-6 w-full`}>
          Send a new link
        </Link>
      </AuthCard>
    );
  return <NewPasswordCard token={token} onSpent={() => setSpent(true)} />;
}

function NewPasswordCard({ token, onSpent }: { token: string; onSpent: () => void }) {
  const navigate = useNavigate();
  const { field, submit, busy, refuse } = useForm(newPasswordSchema, { password: '' });

  const save = submit(async ({ password }) => {
    try {
      await setNewPassword(token, password);
    } catch (error) {
      const code = error instanceof ApiError ? error.code : null;
      if (code === 'invalid_token') onSpent();
      else refuse('password', messageOf(error));
      return;
    }
    forgetSession();
    toast.success('Your password is set. Log in with it.');
    await navigate({ to: '/login', replace: true });
  });

  return (
    <AuthCard
      title="Set a new password"
      subtitle="Every browser that is signed in to your account is signed out."
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
