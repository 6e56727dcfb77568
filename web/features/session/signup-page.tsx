import { zodResolver } from '@hookform/resolvers/zod';
import { Link, useSearch } from '@tanstack/react-router';
import { useForm } from 'react-hook-form';
import { PASSWORD_MIN_LENGTH } from '../../../contract/constants.ts';
import { usePublicConfig } from '../../lib/public-config.ts';
import { Button } from '../../ui/button.tsx';
import { Field, PasswordField } from '../../ui/field.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { AuthCard } from './auth-card.tsx';
import { signupSchema } from './credentials.ts';
import type { NewAccount } from './credentials.ts';
import { signUp } from './session.ts';
import { useAuthentication } from './use-authentication.ts';

export function SignupPage() {
  usePageTitle('Sign Up');
  const { signups } = usePublicConfig();
  const { invite } = useSearch({ from: '/signup' });
  const isWelcome = signups === 'open' || (signups === 'invite' && invite !== undefined);
  return (
    <AuthCard
      title="Sign Up"
      elsewhere={
        <>
          Have an account?{' '}
          <Link to="/login" className="link">
            Login instead
          </Link>
        </>
      }
      agreement="By signing up"
    >
      {isWelcome ? (
        <SignupForm invite={invite} />
      ) : (
        <p className="mt-3 text-fg-2">
          {signups === 'closed'
            ? 'Sign-up is not open here. Ask whoever runs this server for an account.'
            : 'Sign-up is by invitation here. Ask whoever runs this server for a link.'}
        </p>
      )}
    </AuthCard>
  );
}

function SignupForm({ invite }: { invite: string | undefined }) {
  const authenticate = useAuthentication((account: NewAccount) => signUp({ ...account, invite }));
  const { register, handleSubmit, formState } = useForm({
    resolver: zodResolver(signupSchema),
    defaultValues: { name: '', company: '', email: '', password: '' },
  });
  const { errors, isSubmitting } = formState;
  return (
    <form noValidate className="mt-5 grid gap-4" onSubmit={(event) => void handleSubmit(authenticate)(event)}>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <Field {...register('name')} label="Name" autoComplete="name" error={errors.name?.message} />
        <Field
          {...register('company')}
          label="Company"
          aside="Optional"
          autoComplete="organization"
          error={errors.company?.message}
        />
      </div>
      <Field
        {...register('email')}
        label="Email"
        type="email"
        autoComplete="username"
        error={errors.email?.message}
      />
      <PasswordField
        {...register('password')}
        label="Password"
        autoComplete="new-password"
        hint={`At least ${PASSWORD_MIN_LENGTH} characters`}
        error={errors.password?.message}
      />
      <Button type="submit" size="form" className="mt-1.5 w-full" busy={isSubmitting}>
        Sign Up
      </Button>
    </form>
  );
}
