import { Link } from '@tanstack/react-router';
import { openBilling } from '../features/billing/open-billing.ts';
import { messageOf } from '../lib/api-client.ts';
import { useCurrentUser } from '../lib/current-user.ts';
import { usePublicConfig } from '../lib/public-config.ts';
import { useRereadPlan, useStanding } from '../lib/standing.ts';
import { useUpgrade } from '../lib/upgrade.ts';
import { useNow } from '../lib/use-now.ts';
import { useWrite } from '../lib/use-write.ts';
import { NOTICE_ACTION, NoticeBar } from '../ui/notice-bar.tsx';
import { toast } from '../ui/toast.tsx';
import { VerifyActions } from '../ui/verify-address.tsx';
import { noticeOf } from './notice.ts';
import type { Notice } from './notice.ts';
import { useConnectionLost } from './use-connection-lost.ts';

/** Nothing is amiss yet. */
const MAY_WAIT: Notice['kind'][] = ['trial', 'verify', 'insecure'];

/** What the shell has to say below its header, and what can be done about it. */
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
  if (kind === 'unsubscribed') return <MailActions label="Get mail again" />;
  if (!isSold) return null;
  if (kind === 'past_due')
    return (
      <button type="button" className={NOTICE_ACTION} onClick={() => void openBilling()}>
        Open billing
      </button>
    );
  if (kind === 'paused' || kind === 'trial')
    return (
      <button type="button" className={NOTICE_ACTION} onClick={() => open('wish')}>
        {kind === 'trial' ? 'Keep Premium' : 'Upgrade to Premium'}
      </button>
    );
  return null;
}

/** Loaded when it is pressed: hardly anybody ever needs it. */
async function openOwnMail(): Promise<void> {
  const { reopenOwnMail } = await import('../lib/alerts/own-mail.ts');
  await reopenOwnMail();
}

/** Opens the account's own address once more; a test mail shows whether it is. */
function MailActions({ label }: { label: string }) {
  const rereadPlan = useRereadPlan();
  const open = useWrite({
    mutationFn: openOwnMail,
    onSuccess: () => {
      toast.success('A test mail is on its way.');
      rereadPlan();
    },
    onError: (error) => toast.error(`Mail could not be tried again: ${messageOf(error)}`),
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
