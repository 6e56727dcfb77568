import { Link, useSearch } from '@tanstack/react-router';
import { useForm } from '../../lib/form.ts';
import { usePublicConfig } from '../../lib/public-config.ts';
import { useTakenOver } from '../../lib/taken-over.ts';
import { hasPasskeys } from '../../lib/webauthn.ts';
import { Button } from '../../ui/button.tsx';
import { Field, PasswordField } from '../../ui/field.tsx';
import { lazyPart } from '../../ui/lazy.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { AuthCard } from '../../ui/auth-card.tsx';
import { loginSchema } from './credentials.ts';
import { otherProviders } from './other-providers.ts';
import { useAuthentication } from './use-authentication.ts';
import type { Authentication } from './use-authentication.ts';

const CodeForm = lazyPart(async () => (await import('../../ui/code-form.tsx')).CodeForm);
const ProviderButtons = lazyPart(async () => (await import('./provider-buttons.tsx')).ProviderButtons);

export function LoginPage() {
  usePageTitle('Login');
  const { signups } = usePublicConfig();
  const { next, host } = useSearch({ from: '/login' });
  const { authenticate, pending } = useAuthentication({ next, host });
  return (
    <AuthCard
      title="Login"
      {...(pending ? {} : { subtitle: 'Enter your email and password below to log into your account' })}
      elsewhere={
        signups !== 'closed' && (
          <>
            New user?{' '}
            <Link to="/signup" search={{ host }} className="link">
              Sign up
            </Link>
          </>
        )
      }
      agreement="By clicking login"
    >
      {pending ? (
        <CodeForm
          submitLabel="Login"
          onEnter={(code, kind) =>
            authenticate(async () => {
              await pending.step.enter(code, kind);
              return null;
            }, pending.arrival)
          }
        />
      ) : (
        <LoginForm authenticate={authenticate} />
      )}
    </AuthCard>
  );
}

function LoginForm({ authenticate }: Pick<Authentication, 'authenticate'>) {
  const { identity: provider, insecure_http: isInsecure } = usePublicConfig();
  const providers = otherProviders(provider);
  const isTakenOver = useTakenOver();
  // Nearly all browsers have them, and a button that came later would move the page.
  const mayHavePasskeys = isTakenOver ? hasPasskeys() : !isInsecure;
  const { field, submit, busy } = useForm(loginSchema, { email: '', password: '' });
  const logIn = submit(async ({ email, password }) => {
    await authenticate((identity) => identity.signIn(email, password), { method: 'password' });
  });
  const logInWithPasskey = () =>
    authenticate(
      async (identity) => {
        await identity.signInWithPasskey?.();
        return null;
      },
      { method: 'passkey' },
    );
  return (
    <>
      <form noValidate className="mt-6 grid gap-4" onSubmit={logIn}>
        <Field {...field('email')} label="Email" type="email" autoComplete="username" />
        <PasswordField {...field('password')} label="Password" autoComplete="current-password" />
        {/* Until then the browser itself would send the form, password and all, as an address. */}
        <Button type="submit" size="form" className="mt-1.5 w-full" busy={busy} disabled={!isTakenOver}>
          Login
        </Button>
      </form>
      {providers.length > 0 && (
        <ProviderButtons
          verb="Sign In"
          providers={providers}
          onChoose={(id, prove) => authenticate(prove, { method: id })}
        />
      )}
      <p className="mt-4 -mb-2 flex flex-wrap justify-between gap-x-4 text-label">
        <Link to="/forgot-password" className="link inline-flex min-h-11 items-center md:min-h-8">
          Forgot password?
        </Link>
        {provider.provider === 'built-in' && mayHavePasskeys && (
          <button
            type="button"
            className="link inline-flex min-h-11 items-center md:min-h-8"
            onClick={() => void logInWithPasskey()}
          >
            Sign in with a passkey
          </button>
        )}
      </p>
    </>
  );
}
