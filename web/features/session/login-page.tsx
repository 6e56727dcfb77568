import { zodResolver } from '@hookform/resolvers/zod';
import { Link } from '@tanstack/react-router';
import { useForm } from 'react-hook-form';
import { Button } from '../../ui/button.tsx';
import { Field, PasswordField } from '../../ui/field.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { AuthCard } from './auth-card.tsx';
import { loginSchema } from './credentials.ts';
import { logIn } from './session.ts';
import { useAuthentication } from './use-authentication.ts';

export function LoginPage() {
  usePageTitle('Login');
  const authenticate = useAuthentication(logIn);
  const { register, handleSubmit, formState } = useForm({
    resolver: zodResolver(loginSchema),
    defaultValues: { email: '', password: '' },
  });
  const { errors, isSubmitting } = formState;
  return (
    <AuthCard
      title="Login"
      subtitle="Enter your email and password below to log into your account"
      elsewhere={
        <>
          New user?{' '}
          <Link to="/signup" className="link">
            Sign up
          </Link>
        </>
      }
      agreement="By clicking login"
    >
      <form
        noValidate
        className="mt-6 grid gap-4"
        onSubmit={(event) => void handleSubmit(authenticate)(event)}
      >
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
          autoComplete="current-password"
          error={errors.password?.message}
        />
        <Button type="submit" size="form" className="mt-1.5 w-full" busy={isSubmitting}>
          Login
        </Button>
      </form>
    </AuthCard>
  );
}
