import { ApiError, sentenceOf } from '../../../lib/api-error.ts';
import { AuthCard } from '../../../ui/auth-card.tsx';
import { Button } from '../../../ui/button.tsx';

/** Explains that the URL has no token: either the link was cut off, or it is the URL to which mail programs post. */
export function LinkIncomplete() {
  return (
    <AuthCard
      title="This link is incomplete"
      subtitle="Open the link in the email, or copy all of it into the address bar."
    />
  );
}

const DEAD_LINK_CODES: readonly (string | null)[] = ['invalid_token', 'invalid_request', 'not_found'];

/** Tells whether the server refused the link permanently. */
export function isDeadLink(error: unknown): boolean {
  return error instanceof ApiError && DEAD_LINK_CODES.includes(error.code);
}

/** Shows a failure that may succeed on retry. */
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
    <AuthCard title={title} subtitle={`That did not work: ${sentenceOf(error)}`}>
      <Button size="form" className="mt-6 w-full" onClick={onRetry}>
        Try again
      </Button>
    </AuthCard>
  );
}
