import { Link, useSearch } from '@tanstack/react-router';
import { PASSWORD_MIN_LENGTH } from '../../../contract/words.ts';
import { useForm } from '../../lib/form.ts';
import { useMailedToken } from '../../lib/mailed-token.ts';
import { usePublicConfig } from '../../lib/public-config.ts';
import { Button } from '../../ui/button.tsx';
import { Field, PasswordField } from '../../ui/form/field.tsx';
import { lazyPart } from '../../ui/lazy.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { AuthCard } from '../../ui/auth-card.tsx';
import { signupSchema } from './credentials.ts';
import { invitedAddress } from './invited-address.ts';
import { otherProviders } from './identity/load-identity.ts';
import { useAuthentication } from './use-authentication.ts';

const ProviderButtons = lazyPart(async () => (await import('./provider-buttons.tsx')).ProviderButtons);

export function SignupPage() {
  usePageTitle('Sign Up');
  const { signups, billing, limits } = usePublicConfig();
  const { trial, host } = useSearch({ from: '/signup' });
  const invite = useMailedToken('invitation') || undefined;
  const isWelcome = signups === 'open' || (signups === 'invite' && invite !== undefined);
  const offersTrial = trial === 1 && billing.mode !== 'none';
  return (
    <AuthCard
      title="Sign Up"
      elsewhere={
        <>
          Have an account?{' '}
          <Link to="/login" search={{ host }} className="link">
            Login instead
          </Link>
        </>
      }
      {...(isWelcome && { agreement: 'By signing up' })}
    >
      {isWelcome ? (
        <>
          {offersTrial && (
            <p className="mt-1 text-fg-2">
              Your free trial: {limits.trial_days} days of Premium, no credit card required.
            </p>
          )}
          {host !== undefined && (
            <p className="mt-1 text-fg-2 [overflow-wrap:anywhere]">
              After you sign up, we watch <span className="font-mono">{host}</span>.
            </p>
          )}
          <SignupForm key={invite} invite={invite} trial={trial === 1} host={host} />
        </>
      ) : (
        <p className="mt-3 text-fg-2">
          {signups === 'closed'
            ? 'This server does not accept sign-ups. Ask whoever runs it for an account.'
            : 'You need an invitation to sign up. Ask whoever runs this server for a link.'}
        </p>
      )}
    </AuthCard>
  );
}

interface SignupFormProps {
  invite: string | undefined;
  trial: boolean;
  host: string | undefined;
}

function SignupForm({ invite, trial, host }: SignupFormProps) {
  const providers = otherProviders(usePublicConfig().identity);
  const { authenticate } = useAuthentication({ host });
  const { field, submit, busy, refuse } = useForm(signupSchema, {
    name: '',
    company: '',
    email: invitedAddress(invite),
    password: '',
  });
  const signUp = submit(async (person) => {
    const { name, company } = person;
    const failure = await authenticate((identity) => identity.signUp({ ...person, trial, invite }), {
      method: 'password',
      name,
      company,
      trial,
      invite,
    });
    if (failure?.code === 'password_breached') refuse('password', '');
  });
  return (
    <>
      <form noValidate className="mt-5 grid gap-4" onSubmit={signUp}>
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <Field {...field('name')} label="Name" autoComplete="name" />
          <Field {...field('company')} label="Company" aside="Optional" autoComplete="organization" />
        </div>
        <Field {...field('email')} label="Email" type="email" autoComplete="username" />
        <PasswordField
          {...field('password')}
          label="Password"
          autoComplete="new-password"
          hint={`At least ${PASSWORD_MIN_LENGTH} characters`}
        />
        <Button type="submit" size="form" className="mt-1.5 w-full" busy={busy}>
          Sign Up
        </Button>
      </form>
      {providers.length > 0 && (
        <ProviderButtons
          verb="Sign Up"
          providers={providers}
          invite={invite}
          trial={trial}
          onChoose={(method, prove) => authenticate(prove, { method, trial, invite })}
        />
      )}
    </>
  );
}
