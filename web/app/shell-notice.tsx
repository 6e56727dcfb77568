import { Link } from '@tanstack/react-router';
import { openBilling } from '../features/billing/open-billing.ts';
import { useCurrentUser } from '../lib/account/current-user.ts';
import { usePublicConfig } from '../lib/public-config.ts';
import { useRereadPlan, useStanding } from '../lib/account/standing.ts';
import { useUpgrade } from '../lib/account/plan.ts';
import { useNow } from '../lib/use-now.ts';
import { useWrite } from '../lib/use-write.ts';
import { NOTICE_ACTION, NoticeBar } from '../ui/notice-bar.tsx';
import { toast } from '../ui/toast.tsx';
import { VerifyActions } from '../ui/verify-address.tsx';
import { type Notice, noticeOf } from './notice.ts';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useLiveConnection } from '../lib/live-events-context.ts';

// A stream that reconnects within this time shows no notice.
const RECONNECT_GRACE_MS = 5_000;

/** Notices that are shown only if no other notice applies: nothing is wrong yet. */
const MAY_WAIT: Notice['kind'][] = ['trial', 'verify', 'insecure'];

/** Shows the notice below the header and the action for it. */
export function ShellNotice() {
  const { email } = useCurrentUser();
  const { limits, identity, insecure_http: isInsecure } = usePublicConfig();
  const standing = useStanding();
  const isConnectionLost = useConnectionLost();
  const now = useNow();
  const notice = noticeOf({
    isConnectionLost,
    standing,
    email,
    learnsAtLogin: identity.provider === 'firebase',
    freeDomains: limits.free_domains,
    isInsecure,
    now,
  });
  return (
    <NoticeBar
      isCalm={notice !== null && MAY_WAIT.includes(notice.kind)}
      actions={notice && <NoticeActions kind={notice.kind} />}
    >
      {notice?.text}
    </NoticeBar>
  );
}

function NoticeActions({ kind }: Pick<Notice, 'kind'>) {
  const { isSold, open } = useUpgrade();
  if (kind === 'verify') return <VerifyActions />;
  if (kind === 'unconfirmed')
    return (
      <Link to="/dashboard" search={{ status: 'paused' }} className={NOTICE_ACTION}>
        Show paused domains
      </Link>
    );
  if (kind === 'mail') return <MailActions label="Try again" />;
  if (kind === 'unsubscribed') return <MailActions label="Resume emails" />;
  if (!isSold) return null;
  if (kind === 'past_due')
    return (
      <button type="button" className={NOTICE_ACTION} onClick={() => void openBilling()}>
        Open billing
      </button>
    );
  if (kind === 'paused' || kind === 'trial')
    return (
      <button type="button" className={NOTICE_ACTION} onClick={() => open('request')}>
        {kind === 'trial' ? 'Keep Premium' : 'Upgrade to Premium'}
      </button>
    );
  return null;
}

/** Resumes mail to the account's own address. The code for this loads on click, because few people need it. */
async function openOwnMail(): Promise<void> {
  const { reopenOwnMail } = await import('../lib/alerts/own-mail.ts');
  await reopenOwnMail();
}

/** Offers to send mail to the account's own address again. A test email shows whether it arrives. */
function MailActions({ label }: { label: string }) {
  const rereadPlan = useRereadPlan();
  const open = useWrite({
    mutationFn: openOwnMail,
    onSuccess: () => {
      toast.success('We sent a test email.');
      rereadPlan();
    },
    onError: (error) => toast.failed('Could not send a test email', error),
  });
  return (
    <>
      <button type="button" className={NOTICE_ACTION} disabled={open.isPending} onClick={() => open.mutate()}>
        {label}
      </button>
      <Link to="/alerts" className={NOTICE_ACTION}>
        Other channels
      </Link>
    </>
  );
}

function subscribeOnline(listener: () => void): () => void {
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}

/** Returns true while the browser is offline, or when the event stream has been down for a while. */
function useConnectionLost(): boolean {
  const online = useSyncExternalStore(subscribeOnline, () => navigator.onLine);
  const connected = useLiveConnection();
  const [patienceOver, setPatienceOver] = useState(false);
  useEffect(() => {
    if (connected) return undefined;
    const timer = setTimeout(() => setPatienceOver(true), RECONNECT_GRACE_MS);
    return () => {
      clearTimeout(timer);
      setPatienceOver(false);
    };
  }, [connected]);
  return !online || patienceOver;
}
