import type { UseMutationResult } from '@tanstack/react-query';
import type { ConfirmedRecipientWire } from '../../../../contract/alerting.ts';
import { confirmRecipient } from '../../../../contract/calls/alert.ts';
import { callPublic } from '../../../lib/http.ts';
import { useMailedToken } from '../../../lib/mailed-token.ts';
import { usePublicConfig } from '../../../lib/public-config.ts';
import { useWrite } from '../../../lib/use-write.ts';
import { AuthCard } from '../../../ui/auth-card.tsx';
import { Button } from '../../../ui/button.tsx';
import { usePageTitle } from '../../../ui/page-title.ts';
import { useKeptFocus } from '../../../ui/form/use-kept-focus.ts';
import { isDeadLink, LinkFailed, LinkIncomplete } from './link-trouble.tsx';

const TITLE = 'Get certificate alerts by email?';

/** Asks an added recipient whether to send alerts. Only the button confirms, because programs that scan mail open links. */
export function ConfirmRecipientPage() {
  usePageTitle('Confirm your address');
  const token = useMailedToken();
  if (token === '') return <LinkIncomplete />;
  // Remounts when another link is opened in the same tab.
  return <Confirmation key={token} token={token} />;
}

function Confirmation({ token }: { token: string }) {
  const confirm = useWrite({ mutationFn: () => callPublic(confirmRecipient, { body: { token } }) });
  const focus = useKeptFocus<HTMLDivElement>('h1');
  return (
    <div className="contents" {...focus}>
      <Agreement confirm={confirm} />
    </div>
  );
}

type Confirm = UseMutationResult<ConfirmedRecipientWire, Error, void>;

function Agreement({ confirm }: { confirm: Confirm }) {
  const { product_name: productName } = usePublicConfig();
  const elsewhere = (
    <a href="/landing" className="link">
      What {productName} does
    </a>
  );
  if (confirm.data)
    return (
      <AuthCard title="Address confirmed" elsewhere={elsewhere}>
        <output className="mt-1 block [overflow-wrap:anywhere] text-fg-2">
          {confirm.data.account} can now send alerts to {confirm.data.address}. Every alert ends with a link
          to unsubscribe.
        </output>
      </AuthCard>
    );
  if (isDeadLink(confirm.error))
    return (
      <AuthCard
        title="This link no longer works"
        subtitle="If you already confirmed, you get alerts. Otherwise the link expired or the request was withdrawn: ask the person who invited you to add your address again."
        elsewhere={elsewhere}
      />
    );
  if (confirm.error)
    return <LinkFailed title={TITLE} error={confirm.error} onRetry={() => confirm.mutate()} />;
  return (
    <AuthCard
      title={TITLE}
      subtitle={`Somebody wants ${productName} to email you when their certificates are about to expire or have problems. You get alerts only if you agree. If you don’t want them, close this page.`}
      elsewhere={elsewhere}
    >
      <Button size="form" className="mt-6 w-full" busy={confirm.isPending} onClick={() => confirm.mutate()}>
        Send me alerts
      </Button>
    </AuthCard>
  );
}
