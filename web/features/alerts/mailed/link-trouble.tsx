import { ApiError, sentenceOf } from '../../../lib/api-error.ts';
import { AuthCard } from '../../../ui/auth-card.tsx';
import { Button } from '../../../ui/button.tsx';

/** For a mailed link that lost its end on the way. */
export function LinkNotWhole() {
  return (
    <AuthCard title="This link is not whole" subtitle="Copy it from the mail once more, to its very end." />
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
