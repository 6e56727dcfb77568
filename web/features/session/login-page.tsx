import { Link, useSearch } from '@tanstack/react-router';
import { useForm } from '../../lib/form.ts';
import { usePublicConfig } from '../../lib/public-config.ts';
import { useHydrated } from '../../lib/use-hydrated.ts';
import { hasPasskeys, PASSKEY_PRELOAD } from '../../lib/browser/webauthn.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Field, PasswordField } from '../../ui/form/field.tsx';
import { lazyPart } from '../../ui/lazy.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { AuthCard } from '../../ui/auth-card.tsx';
import { loginSchema } from './credentials.ts';
import { otherProviders } from './identity/load-identity.ts';
import { type Authentication, useAuthentication } from './use-authentication.ts';

const CodeForm = lazyPart(async () => (await import('../../ui/form/code-form.tsx')).CodeForm);
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
        signups === 'open' ? (
          <>
            New user?{' '}
            <Link to="/signup" search={{ host }} className="link">
              Sign up
            </Link>
          </>
        ) : (
          signups === 'invite' && 'Sign-up is by invitation.'
        )
      }
      agreement="By clicking login"
    >
      {pending ? (
        <CodeForm
          submitLabel="Login"
          onEnter={async (code, kind) => {
            const failure = await authenticate(async () => {
              await pending.step.enter(code, kind);
              return null;
            }, pending.details);
            return failure?.code === 'invalid_code' ? '' : undefined;
          }}
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
  const isHydrated = useHydrated();
  // Until hydration, assume that the browser supports passkeys, as nearly all do: adding the button later would move the
  // page.
  const mayHavePasskeys = isHydrated ? hasPasskeys() : !isInsecure;
  const { field, submit, busy, refuse } = useForm(loginSchema, { email: '', password: '' });
  const logIn = submit(async ({ email, password }) => {
    const failure = await authenticate((identity) => identity.signIn(email, password), {
      method: 'password',
    });
    if (failure?.code === 'invalid_credentials') refuse('password', '');
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
        {/* Disabled before hydration: the browser would submit the form itself, with the password in the URL. */}
        <Button type="submit" size="form" className="mt-1.5 w-full" busy={busy} disabled={!isHydrated}>
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
          <LinkButton
            className="inline-flex min-h-11 items-center md:min-h-8"
            onClick={() => void logInWithPasskey()}
            {...PASSKEY_PRELOAD}
          >
            Log in with a passkey
          </LinkButton>
        )}
      </p>
    </>
  );
}
