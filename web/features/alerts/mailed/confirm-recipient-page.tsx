import type { UseMutationResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMailedToken } from '../../../lib/mailed-token.ts';
import { usePublicConfig } from '../../../lib/public-config.ts';
import { useWrite } from '../../../lib/use-write.ts';
import { AuthCard } from '../../../ui/auth-card.tsx';
import { Button } from '../../../ui/button.tsx';
import { usePageTitle } from '../../../ui/page-title.ts';
import { useKeptFocus } from '../../../ui/use-kept-focus.ts';
import { isSpent, LinkFailed, LinkIncomplete } from './link-trouble.tsx';
import { confirmRecipient } from './mailed-calls.ts';

const TITLE = 'Get certificate alerts by mail?';

/** Asks an added recipient whether to send alerts. Only the button agrees: programs that scan mail follow links. */
export function ConfirmRecipientPage() {
  usePageTitle('Confirm your address');
  const token = useMailedToken();
  if (token === '') return <LinkIncomplete />;
  // Another link opened in the same tab starts anew.
  return <Confirmation key={token} token={token} />;
}

function Confirmation({ token }: { token: string }) {
  const confirm = useWrite({ mutationFn: () => confirmRecipient(token) });
  const focus = useKeptFocus<HTMLDivElement>('h1');
  return (
    <div className="contents" {...focus}>
      <Agreement confirm={confirm} />
    </div>
  );
}

type Confirm = UseMutationResult<Awaited<ReturnType<typeof confirmRecipient>>, Error, void>;

function Agreement({ confirm }: { confirm: Confirm }) {
  const { product_name: productName } = usePublicConfig();
  const elsewhere = (
    <Link to="/landing" className="link">
      What {productName} does
    </Link>
  );
  if (confirm.data)
    return (
      <AuthCard title="Thank you, alerts will come" elsewhere={elsewhere}>
        <output className="mt-1 block [overflow-wrap:anywhere] text-fg-2">
          Alerts of {confirm.data.account} go to {confirm.data.address} from now on. Every one has a link at
          its end that stops them.
        </output>
      </AuthCard>
    );
  if (isSpent(confirm.error))
    return (
      <AuthCard
        title="This link is no longer good"
        subtitle="If you agreed with it before, alerts come already. Else it is too old, or whoever asked has taken it back: ask them to add your address once more."
        elsewhere={elsewhere}
      />
    );
  if (confirm.error)
    return <LinkFailed title={TITLE} error={confirm.error} onRetry={() => confirm.mutate()} />;
  return (
    <AuthCard
      title={TITLE}
      subtitle={`Somebody asked ${productName} to tell you when certificates of theirs are about to expire or are in trouble. Nothing is sent before you agree; without that, close this page.`}
      elsewhere={elsewhere}
    >
      <Button size="form" className="mt-6 w-full" busy={confirm.isPending} onClick={() => confirm.mutate()}>
        Send me alerts
      </Button>
    </AuthCard>
  );
}
