import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { z } from 'zod';
import { ApiError, api, messageOf } from '../lib/api-client.ts';
import { useSignedIn } from '../lib/current-user.ts';
import { usePublicConfig } from '../lib/public-config.ts';
import { useStanding } from '../lib/standing.ts';
import { useWrite } from '../lib/use-write.ts';
import { NOTICE_ACTION } from './notice-bar.tsx';
import { toast } from './toast.tsx';

/** Lets people verify their address: sends the link again, or asks them to log in again where only that shows it to us. */
export function VerifyActions() {
  const { identity } = usePublicConfig();
  const mailPage = useStanding()?.mail_page ?? null;
  if (identity.provider === 'firebase') return <LogInAgain />;
  return (
    <>
      <SendAgain />
      {mailPage !== null && (
        <a href={mailPage} target="_blank" rel="noreferrer" className={NOTICE_ACTION}>
          Read it here
        </a>
      )}
    </>
  );
}

/** The session stays until the new one begins: it shows the server that the same person comes back from the verification. */
function LogInAgain() {
  return (
    <Link to="/login" className={NOTICE_ACTION}>
      Log in again
    </Link>
  );
}

function SendAgain({ label = 'Send again' }: { label?: string }) {
  const send = useWrite({
    mutationFn: () => api('/identity/send-verification', { method: 'POST', schema: z.unknown() }),
    onSuccess: () => toast.success('The mail is on its way.'),
    onError: (error) => toast.error(`The mail could not be sent: ${messageOf(error)}`),
  });
  return (
    <button type="button" className={NOTICE_ACTION} disabled={send.isPending} onClick={() => send.mutate()}>
      {label}
    </button>
  );
}

/** Says that something needs a verified address, and sends the link again; nothing for whoever has one. */
export function VerifyFirst({ to }: { to: string }) {
  const { user } = useSignedIn();
  const standing = useStanding();
  if (standing === null || standing.email_verified) return null;
  return (
    <div role="note" className="mt-4 rounded-3 bg-soon-bg px-3.5 py-2.5 text-label text-soon-fg">
      <p className="[overflow-wrap:anywhere]">
        Verify your address {to}: open the link in the mail to {user.email}.
      </p>
      <div className="mt-1 flex flex-wrap gap-x-4">
        <VerifyActions />
      </div>
    </div>
  );
}

/** A failure for a toast: what did not happen, why, and the link again where an unverified address is the reason. */
export function failureText(error: unknown, what = ''): ReactNode {
  const text = `${what}${messageOf(error)}`;
  if (!(error instanceof ApiError) || error.code !== 'email_not_verified') return text;
  return (
    <>
      {text} <SendAgainHere />
    </>
  );
}

/** Toasts stand outside of the session: where only a log-in tells of the address, the notice bar offers that. */
function SendAgainHere() {
  const { identity } = usePublicConfig();
  return identity.provider === 'firebase' ? null : <SendAgain label="Send the link again" />;
}
