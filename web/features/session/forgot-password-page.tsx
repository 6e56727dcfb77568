import { Link, useNavigate } from '@tanstack/react-router';
import { useForm } from '../../lib/form.ts';
import { usePublicConfig } from '../../lib/public-config.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/form/field.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { toast } from '../../ui/toast.tsx';
import { AuthCard } from '../../ui/auth-card.tsx';
import { addressSchema } from './credentials.ts';
import { loadIdentity } from './identity/load-identity.ts';

/** Requests a password reset link. The response is the same for every address. */
export function ForgotPasswordPage() {
  usePageTitle('Forgot password');
  const navigate = useNavigate();
  const { identity: provider } = usePublicConfig();
  const { field, submit, busy } = useForm(addressSchema, { email: '' });

  const ask = submit(async ({ email }) => {
    try {
      const identity = await loadIdentity(provider);
      await identity.requestPasswordReset(email);
    } catch (error) {
      toast.failed('Failed to send password reset email', error);
      return;
    }
    toast.success('Password reset email sent.');
    await navigate({ to: '/login' });
  });

  return (
    <AuthCard
      title="Forgot password"
      subtitle="We email you a link to set a new password. It works once."
      elsewhere={
        <>
          Remembered it?{' '}
          <Link to="/login" className="link">
            Login instead
          </Link>
        </>
      }
    >
      <form noValidate className="mt-6 grid gap-4" onSubmit={ask}>
        <Field {...field('email')} label="Email" type="email" autoComplete="username" />
        <Button type="submit" size="form" className="mt-1.5 w-full" busy={busy}>
          Send link
        </Button>
      </form>
    </AuthCard>
  );
}
