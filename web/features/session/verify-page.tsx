import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { sendVerification, verifyEmail } from '../../../contract/calls/verification.ts';
import { call } from '../../lib/api-client.ts';
import { ApiError, messageOf } from '../../lib/api-error.ts';
import { useMailedToken } from '../../lib/mailed-token.ts';
import { useWrite } from '../../lib/use-write.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { Spinner } from '../../ui/loading.tsx';
import { toast } from '../../ui/toast.tsx';
import { AuthCard } from '../../ui/auth-card.tsx';
import type { CurrentUser } from '../../lib/account/current-user.ts';
import { checkCurrentUser } from './session.ts';

const WIDE = `${buttonClass('primary', 'form')} mt-6 w-full`;

/** Handles the link of a verification email. */
export function VerifyPage() {
  usePageTitle('Confirm your address');
  const token = useMailedToken();
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery({
    queryKey: ['verify-address', token],
    queryFn: () => verifyAddress(token),
    enabled: token !== '',
    staleTime: Infinity,
    retry: false,
  });
  const isVerified = data?.outcome === 'verified';
  useEffect(() => {
    if (!isVerified) return;
    toast.success('Email address confirmed.');
    void navigate({ to: '/dashboard', replace: true });
  }, [isVerified, navigate]);

  if (token === '')
    return (
      <AuthCard
        title="This link is incomplete"
        subtitle="Open the link in the email, or copy all of it into the address bar."
      />
    );
  if (error)
    return (
      <AuthCard title="Confirm your address" subtitle={`That did not work: ${messageOf(error)}`}>
        <Button size="form" className="mt-6 w-full" onClick={() => void refetch()}>
          Try again
        </Button>
      </AuthCard>
    );
  if (data?.outcome === 'anonymous') return <LoginFirst token={token} />;
  if (data?.outcome === 'refused') return <Refused email={data.user?.email ?? ''} />;
  return (
    <AuthCard title="Confirm your address">
      <p className="mt-4 flex items-center gap-2 text-fg-2">
        <Spinner /> One moment
      </p>
    </AuthCard>
  );
}

function LoginFirst({ token }: { token: string }) {
  return (
    <AuthCard
      title="Confirm your address"
      subtitle="Log in to the account that you created with this address to confirm it."
      elsewhere={
        <>
          This was not me:{' '}
          <Link to="/forgot-password" className="link">
            set a new password
          </Link>
        </>
      }
    >
      <Link to="/login" state={{ mailedToken: token }} className={WIDE}>
        Login
      </Link>
      <p className="mt-4 text-meta text-fg-3">
        Somebody else may have signed up with your address. Set a new password to take over the account.
      </p>
    </AuthCard>
  );
}

function Refused({ email }: { email: string }) {
  const { mutate, isPending, isSuccess } = useWrite({
    mutationFn: () => call(sendVerification),
    onSuccess: () => toast.success('We sent the email.'),
    onError: (error) => toast.failed('Could not send the email', error),
  });
  return (
    <AuthCard
      title="This link no longer works"
      subtitle={
        <>
          The link expired or belongs to another account. You are logged in as{' '}
          <span className="[overflow-wrap:anywhere]">{email}</span>.
        </>
      }
      elsewhere={
        <Link to="/dashboard" className="link">
          Go to the dashboard
        </Link>
      }
    >
      <Button
        size="form"
        className="mt-6 w-full"
        busy={isPending}
        disabled={isSuccess}
        onClick={() => mutate()}
      >
        {isSuccess ? 'Link sent' : 'Send a new link'}
      </Button>
    </AuthCard>
  );
}

interface Verification {
  /** `refused`: the link belongs to another account or has expired. */
  outcome: 'verified' | 'refused' | 'anonymous';
  user: CurrentUser | null;
}

/**
 * Verifies the signed-in account's address. The token alone is not enough: somebody else may have signed up with the address.
 */
async function verifyAddress(token: string): Promise<Verification> {
  const user = await checkCurrentUser();
  if (!user) return { outcome: 'anonymous', user };
  try {
    await call(verifyEmail, { body: { token } });
    return { outcome: 'verified', user };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'invalid_token' || error.code === 'invalid_request')
      return { outcome: 'refused', user };
    if (error.status === 401) return { outcome: 'anonymous', user: null };
    throw error;
  }
}
