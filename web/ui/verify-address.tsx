import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { sendVerification } from '../../contract/calls/verification.ts';
import { call } from '../lib/api-client.ts';
import { ApiError, messageOf } from '../lib/api-error.ts';
import { useSignedIn } from '../lib/account/current-user.ts';
import { usePublicConfig } from '../lib/public-config.ts';
import { useStanding } from '../lib/account/standing.ts';
import { NOTICE_ACTION } from './notice-bar.tsx';
import { toast } from './toast.tsx';

/**
 * Lets users verify their address. Sends the link again, or asks the user to log in again if the provider reports a verified
 * address only at sign-in.
 */
export function VerifyActions() {
  const { identity } = usePublicConfig();
  const mailPage = useStanding()?.mail_page ?? null;
  if (identity.provider === 'firebase') return <LogInAgain />;
  return (
    <>
      <SendAgain />
      {mailPage !== null && (
        <a href={mailPage} target="_blank" rel="noreferrer" className={NOTICE_ACTION}>
          Open the email
        </a>
      )}
    </>
  );
}

/** The session stays until the new one starts, so that the server recognises the user. */
function LogInAgain() {
  return (
    <Link to="/login" className={NOTICE_ACTION}>
      Log in again
    </Link>
  );
}

/** Sends the link again. Uses no `useWrite`, because a toast is rendered outside of the query cache. */
function SendAgain({ label = 'Send again' }: { label?: string }) {
  const [isBusy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    try {
      await call(sendVerification);
      toast.success('We sent the email.');
    } catch (error) {
      toast.failed('Could not send the email', error);
    }
    setBusy(false);
  };
  return (
    <button type="button" className={NOTICE_ACTION} disabled={isBusy} onClick={() => void send()}>
      {label}
    </button>
  );
}

/** Says that an action needs a verified address, and offers to send the link again. Renders nothing unless the address is known to be unverified. */
export function VerifyFirst({ to }: { to: string }) {
  const { user } = useSignedIn();
  const standing = useStanding();
  if (standing === null || standing.email_verified) return null;
  return (
    <div role="note" className="mt-4 rounded-3 bg-soon-bg px-3.5 py-2.5 text-label text-soon-fg">
      <p className="[overflow-wrap:anywhere]">
        Confirm your address {to}: open the link in the email to {user.email}.
      </p>
      <div className="mt-1 flex flex-wrap gap-x-4">
        <VerifyActions />
      </div>
    </div>
  );
}

/** Returns the text of a failure's toast: what failed and why. Offers to send the link again if the address is unverified. */
export function failureText(error: unknown, what = ''): ReactNode {
  const text = `${what}${messageOf(error)}`;
  if (!(error instanceof ApiError) || error.code !== 'email_not_verified') return text;
  return (
    <>
      {text} <SendAgainHere />
    </>
  );
}

/** Offers in a toast to send the link again. Toasts are outside the session's context, so only the notice bar can offer a new login. */
function SendAgainHere() {
  const { identity } = usePublicConfig();
  return identity.provider === 'firebase' ? null : <SendAgain label="Send the link again" />;
}
