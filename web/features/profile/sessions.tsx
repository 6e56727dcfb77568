import { useQuery } from '@tanstack/react-query';
import type { SessionWire } from '../../../contract/account.ts';
import { endAllSessions, endOneSession, listSessions } from '../../../contract/calls/account.ts';
import { call } from '../../lib/api-client.ts';
import { useSignedIn } from '../../lib/account/current-user.ts';
import { useNow } from '../../lib/use-now.ts';
import { useWrite } from '../../lib/use-write.ts';
import { Button } from '../../ui/button.tsx';
import { Skeleton } from '../../ui/loading.tsx';
import { toast } from '../../ui/toast.tsx';
import { ListPlaceholder } from './list-placeholder.tsx';
import { relativeTime, utcTitle } from '../../lib/format.ts';

/** Lists the browsers with a session and logs them out. */
export function Sessions() {
  const { leave } = useSignedIn();
  const read = useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => call(listSessions, { signal }),
    staleTime: 0,
    refetchOnWindowFocus: true,
  });
  const { data, error, refetch } = read;
  const onError = (failure: Error) => toast.failed('Failed to log out', failure);
  const one = useWrite({
    mutationFn: (id: string) => call(endOneSession, { params: { id } }),
    onSuccess: () => refetch(),
    onError,
  });
  const all = useWrite({
    mutationFn: async () => {
      await call(endAllSessions);
      await leave();
    },
    onSuccess: () => toast.success('Logged out everywhere.'),
    onError,
  });

  if (error && !data) return <ListPlaceholder what="your sessions" read={read} />;
  return (
    <div className="grid gap-4">
      <ul className="grid">
        {data?.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            busy={one.isPending && one.variables === session.id}
            onEnd={() => one.mutate(session.id)}
          />
        )) ?? (
          <li className="grid gap-2 py-1">
            <Skeleton className="h-4 w-40" />
            <Skeleton className="h-3 w-56" />
          </li>
        )}
      </ul>
      <div>
        <Button variant="outline" className="max-md:w-full" busy={all.isPending} onClick={() => all.mutate()}>
          Log out everywhere
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
          aria-label={`Log out ${session.browser}`}
          onClick={onEnd}
        >
          Log out
        </Button>
      )}
    </li>
  );
}
