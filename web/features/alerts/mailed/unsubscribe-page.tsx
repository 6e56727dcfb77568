import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { UnsubscribeScope, UnsubscribeSubjectWire } from '../../../../contract/alerting.ts';
import { unsubscribe, unsubscribeSubject } from '../../../../contract/calls/alert.ts';
import { callPublic } from '../../../lib/http.ts';
import { useMailedToken } from '../../../lib/mailed-token.ts';
import { useWrite } from '../../../lib/use-write.ts';
import { AuthCard } from '../../../ui/auth-card.tsx';
import { Button } from '../../../ui/button.tsx';
import { usePageTitle } from '../../../ui/page-title.ts';
import { Spinner } from '../../../ui/loading.tsx';
import { toast } from '../../../ui/toast.tsx';
import { isDeadLink, LinkFailed, LinkIncomplete } from './link-trouble.tsx';
import { unsubscribeWords } from './unsubscribe-words.ts';

const TITLE = 'Stop alert emails';
const TO_ALERTS = (
  <>
    Is this your account?{' '}
    <Link to="/alerts" className="link">
      Change your alert settings
    </Link>
  </>
);

/**
 * Handles the unsubscribe link at the end of each email. Nothing changes until a button is pressed, because programs that scan mail
 * open links.
 */
export function UnsubscribePage() {
  usePageTitle(TITLE);
  const token = useMailedToken();
  const { data, error, refetch } = useQuery({
    queryKey: ['unsubscribe', token],
    queryFn: ({ signal }) => callPublic(unsubscribeSubject, { body: { token }, signal }),
    enabled: token !== '',
    staleTime: Infinity,
  });
  if (token === '') return <LinkIncomplete />;
  if (isDeadLink(error))
    return (
      <AuthCard
        title="This link does not work"
        subtitle="The link is incomplete or expired, or the account was deleted. Open the link at the end of your newest email. If that fails too, contact whoever runs this service."
        elsewhere={TO_ALERTS}
      />
    );
  if (error) return <LinkFailed title={TITLE} error={error} onRetry={() => void refetch()} />;
  if (!data)
    return (
      <AuthCard title={TITLE}>
        <p className="mt-4 flex items-center gap-2 text-fg-2">
          <Spinner /> One moment
        </p>
      </AuthCard>
    );
  return <SubjectCard key={token} token={token} subject={data} />;
}

function SubjectCard({ token, subject }: { token: string; subject: UnsubscribeSubjectWire }) {
  const queryClient = useQueryClient();
  const { unsubscribed } = subject;
  const buttons = useRef<HTMLDivElement>(null);
  const { mutate, isPending, variables } = useWrite({
    mutationFn: (scope: UnsubscribeScope) => callPublic(unsubscribe, { body: { token, scope } }),
    onSuccess: (changed) => queryClient.setQueryData(['unsubscribe', token], changed),
    onError: (error) => toast.failed('Could not save the change', error),
  });
  // The button that was pressed may be gone then, so the first of the remaining buttons gets the focus.
  const shown = useRef(unsubscribed);
  useEffect(() => {
    if (shown.current === unsubscribed) return;
    shown.current = unsubscribed;
    buttons.current?.querySelector('button')?.focus();
  }, [unsubscribed]);
  const { title, text, choices } = unsubscribeWords(subject);
  return (
    <AuthCard title={title} elsewhere={TO_ALERTS}>
      <output className="mt-1 block [overflow-wrap:anywhere] text-fg-2">{text}</output>
      <div ref={buttons} className="mt-6 grid gap-2.5">
        {choices.map(({ scope, label }, index) => (
          <Button
            key={scope}
            size="form"
            variant={index === 0 ? 'primary' : 'outline'}
            className="w-full min-w-0 whitespace-normal!"
            busy={isPending && variables === scope}
            disabled={isPending}
            onClick={() => mutate(scope)}
          >
            <span className="min-w-0 py-1 [overflow-wrap:anywhere]">{label}</span>
          </Button>
        ))}
      </div>
    </AuthCard>
  );
}
