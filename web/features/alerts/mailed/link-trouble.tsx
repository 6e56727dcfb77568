import { ApiError, sentenceOf } from '../../../lib/api-error.ts';
import { AuthCard } from '../../../ui/auth-card.tsx';
import { Button } from '../../../ui/button.tsx';

/** Shown without a token: the link lost its end, or it is the address that mail programs post to. */
export function LinkIncomplete() {
  return (
    <AuthCard
      title="This link is incomplete"
      subtitle="Open the link in the mail, or copy all of it into the address bar."
    />
  );
}

const SPENT: readonly (string | null)[] = ['invalid_token', 'invalid_request', 'not_found'];

/** Whether a link was refused for good, and not for the moment. */
export function isSpent(error: unknown): boolean {
  return error instanceof ApiError && SPENT.includes(error.code);
}

/** Where something failed that may work the next time. */
export function LinkFailed({
  title,
  error,
  onRetry,
}: {
  title: string;
  error: unknown;
  onRetry: () => void;
}) {
  return (
    <AuthCard title={title} subtitle={`It did not work yet: ${sentenceOf(error)}`}>
      <Button size="form" className="mt-6 w-full" onClick={onRetry}>
        Try again
      </Button>
    </AuthCard>
  );
}
