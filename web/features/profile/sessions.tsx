import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SessionWire } from '../../../contract/account.ts';
import { messageOf } from '../../lib/api-error.ts';
import { useSignedIn } from '../../lib/current-user.ts';
import { utcTitle, relativeTime } from '../../lib/dates.ts';
import { useNow } from '../../lib/use-now.ts';
import { Button } from '../../ui/button.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { toast } from '../../ui/toast.tsx';
import { AwaitedList } from './awaited-list.tsx';
import { endAllSessions, endSession, fetchSessions } from './profile-calls.ts';

/** The browsers that are signed in, and the way to sign them out. */
export function Sessions() {
  const { leave } = useSignedIn();
  const { data, error, refetch } = useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => fetchSessions(signal),
    staleTime: 0,
    refetchOnWindowFocus: true,
  });
  const [busy, setBusy] = useState<string | null>(null);

  const end = async (which: string, work: () => Promise<void>) => {
    setBusy(which);
    try {
      await work();
    } catch (failure) {
      toast.error(`Failed to sign out: ${messageOf(failure)}`);
    }
    setBusy(null);
  };
  const endOne = (id: string) =>
    end(id, async () => {
      await endSession(id);
      await refetch();
    });
  const endAll = () =>
    end('all', async () => {
      await endAllSessions();
      await leave();
      toast.success('You are signed out everywhere.');
    });

  if (error && !data)
    return <AwaitedList what="Your sessions" error={error} onRetry={() => void refetch()} />;
  return (
    <div className="grid gap-4">
      <ul className="grid">
        {data?.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            busy={busy === session.id}
            onEnd={() => void endOne(session.id)}
          />
        )) ?? (
          <li className="grid gap-2 py-1">
            <Skeleton className="h-4 w-40" />
            <Skeleton className="h-3 w-56" />
          </li>
        )}
      </ul>
      <div>
        <Button
          variant="outline"
          className="max-md:w-full"
          busy={busy === 'all'}
          onClick={() => void endAll()}
        >
          Sign out everywhere
        </Button>
      </div>
    </div>
  );
}

function SessionRow({ session, busy, onEnd }: { session: SessionWire; busy: boolean; onEnd: () => void }) {
  const now = useNow();
  return (
    <li className="flex items-center justify-between gap-3 border-b border-line py-2.5 first:pt-0 last:border-0">
      <div className="min-w-0">
        <p className="font-medium [overflow-wrap:anywhere]">{session.browser}</p>
        <p className="text-meta [overflow-wrap:anywhere] text-fg-3">
          {session.address} ·{' '}
          <time dateTime={session.last_used_at} title={utcTitle(session.last_used_at)}>
            {relativeTime(session.last_used_at, now)}
          </time>
        </p>
      </div>
      {session.current ? (
        <span className="text-label whitespace-nowrap text-fg-2">This browser</span>
      ) : (
        <Button
          variant="outline"
          size="small"
          busy={busy}
          aria-label={`Sign out ${session.browser}`}
          onClick={onEnd}
        >
          Sign out
        </Button>
      )}
    </li>
  );
}
