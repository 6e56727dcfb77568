import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { messageOf } from '../../lib/api-error.ts';
import { useMailedToken } from '../../lib/mailed-token.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { Spinner } from '../../ui/spinner.tsx';
import { toast } from '../../ui/toast.tsx';
import { AuthCard } from '../../ui/auth-card.tsx';
import { sendVerification, verifyAddress } from './mailed-link.ts';

const WIDE = `${buttonClass('primary', 'form')} mt-6 w-full`;

/** Where the link of the verification mail leads. */
export function VerifyPage() {
  usePageTitle('Verify your address');
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
    toast.success('Your address is verified.');
    void navigate({ to: '/dashboard', replace: true });
  }, [isVerified, navigate]);

  if (token === '')
    return (
      <AuthCard title="This link is not whole" subtitle="Copy it from the mail once more, to its very end." />
    );
  if (error)
    return (
      <AuthCard title="Verify your address" subtitle={`It did not work yet: ${messageOf(error)}`}>
        <Button size="form" className="mt-6 w-full" onClick={() => void refetch()}>
          Try again
        </Button>
      </AuthCard>
    );
  if (data?.outcome === 'anonymous') return <LoginFirst token={token} />;
  if (data?.outcome === 'refused') return <Refused email={data.user?.email ?? ''} />;
  return (
    <AuthCard title="Verify your address">
      <p className="mt-4 flex items-center gap-2 text-fg-2">
        <Spinner /> One moment
      </p>
    </AuthCard>
  );
}

function LoginFirst({ token }: { token: string }) {
  return (
    <AuthCard
      title="Verify your address"
      subtitle="Log in to the account that you made with this address, and it is verified."
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
        Somebody else may have signed up with your address. A new password makes the account yours alone.
      </p>
    </AuthCard>
  );
}

function Refused({ email }: { email: string }) {
  const [busy, setBusy] = useState(false);
  const [isSent, setSent] = useState(false);
  const sendAgain = async () => {
    setBusy(true);
    try {
      await sendVerification();
      setSent(true);
      toast.success('Verification email sent.');
    } catch (error) {
      toast.error(`Failed to send verification email: ${messageOf(error)}`);
    }
    setBusy(false);
  };
  return (
    <AuthCard
      title="This link is no longer good"
      subtitle={
        <>
          It is too old, or it is for another account. You are logged in as{' '}
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
        busy={busy}
        disabled={isSent}
        onClick={() => void sendAgain()}
      >
        {isSent ? 'Link sent' : 'Send a new link'}
      </Button>
    </AuthCard>
  );
}
