import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { checkCurrentUser } from '../features/session/session.ts';
import { ApiError, sentenceOf } from '../lib/api-error.ts';
import type { CurrentUser } from '../lib/account/current-user.ts';
import { pause } from '../lib/live-events.ts';
import { retryDelayMs } from '../lib/query-client.ts';
import { BlankPage, FailedPage } from './blank-page.tsx';

interface UserCheck {
  /** Why the server has not told yet who is signed in; null while nothing failed. */
  error: unknown;
  /** Asks again now. */
  retry: () => void;
}

/** Asks the server who is signed in until it answers; `onAnswer` gets null if nobody is. Does nothing unless `isAsking`. */
export function useUserCheck(isAsking: boolean, onAnswer: (user: CurrentUser | null) => void): UserCheck {
  const [error, setError] = useState<unknown>(null);
  const wait = useRef<AbortController>(null);
  const report = useEffectEvent(onAnswer);
  useEffect(() => {
    if (!isAsking) return undefined;
    const stop = new AbortController();
    const ask = async () => {
      for (let attempt = 0; !stop.signal.aborted; attempt += 1) {
        try {
          const user = await checkCurrentUser();
          if (stop.signal.aborted) return;
          setError(null);
          report(user);
          return;
        } catch (failure) {
          if (!stop.signal.aborted) setError(failure);
          wait.current = new AbortController();
          await pause(retryDelayMs(attempt), AbortSignal.any([stop.signal, wait.current.signal]));
        }
      }
    };
    void ask();
    return () => stop.abort();
  }, [isAsking]);
  return { error, retry: () => wait.current?.abort() };
}

/** Shows an empty page while the server is asked who is signed in; why, if it does not tell. */
export function UserCheckPage({ error, retry }: UserCheck) {
  if (error === null) return <BlankPage />;
  return (
    <FailedPage onRetry={retry}>
      {sentenceOf(causeOf(error))} The page opens by itself once the server answers.
    </FailedPage>
  );
}

/** Returns the error that says what went wrong, instead of the fixed text for a failed check or refresh. */
function causeOf(error: unknown): unknown {
  return error instanceof ApiError && error.cause instanceof ApiError ? causeOf(error.cause) : error;
}
