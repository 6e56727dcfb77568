import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { MAX_TOKENS, type TokenWire } from '../../../contract/token.ts';
import { listTokens, revokeToken } from '../../../contract/calls/token.ts';
import { call } from '../../lib/api-client.ts';
import { useNow } from '../../lib/use-now.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog, useRemoval } from '../../ui/confirm-dialog.tsx';
import { Time } from '../../ui/time.tsx';
import { useKeptFocus } from '../../ui/form/use-kept-focus.ts';
import { ListPlaceholder } from './list-placeholder.tsx';
import { MadeToken, MakeTokenForm } from './make-token.tsx';
import { relativeTime, utcTitle } from '../../lib/format.ts';

/** Lists, creates and revokes personal API tokens. */
export function ApiTokens() {
  const read = useQuery({
    queryKey: ['tokens'],
    queryFn: ({ signal }) => call(listTokens, { signal }),
    staleTime: 0,
  });
  const [making, setMaking] = useState<'form' | { secret: string } | null>(null);
  const focus = useKeptFocus<HTMLDivElement>();
  const removal = useRemoval({
    remove: ({ id }: TokenWire) => call(revokeToken, { params: { id } }),
    reread: read.refetch,
    done: () => 'Token revoked.',
    failed: 'Could not revoke the token',
    focusAfter: () => focus.ref.current?.querySelector('button') ?? null,
  });

  const { data } = read;
  if (!data) return <ListPlaceholder what="your tokens" read={read} />;
  return (
    <div className="grid gap-4">
      {data.length > 0 ? (
        <ul className="grid">
          {data.map((token) => (
            <TokenRow key={token.id} token={token} onRevoke={() => removal.ask(token)} />
          ))}
        </ul>
      ) : (
        making === null && (
          <p className="text-fg-2">
            No tokens yet. A token lets a script or another program use the API in your name.
          </p>
        )
      )}
      <div {...focus}>
        {making === 'form' ? (
          <MakeTokenForm
            onDone={(made) => {
              if (made) void read.refetch();
              setMaking(made && { secret: made.secret });
            }}
          />
        ) : making === null ? (
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
            <Button
              variant="outline"
              className="max-md:w-full"
              inactive={data.length >= MAX_TOKENS}
              onClick={() => setMaking('form')}
            >
              Create a token
            </Button>
            <a className="link inline-flex min-h-11 items-center text-label md:min-h-8" href="/api/docs">
              How to use the API
            </a>
            {data.length >= MAX_TOKENS && (
              <p className="w-full text-label text-fg-2">
                You have {MAX_TOKENS} tokens, the most an account can have. Revoke one to create another.
              </p>
            )}
          </div>
        ) : (
          <MadeToken secret={making.secret} onDone={() => setMaking(null)} />
        )}
      </div>
      <ConfirmDialog
        {...removal.dialog}
        title="Are you sure you want to revoke this token?"
        description={
          <>
            Programs that use “<bdi>{removal.asked?.name}</bdi>” ({removal.asked?.prefix}…) lose access at
            once. This action cannot be undone.
          </>
        }
        confirmLabel="Revoke"
      />
    </div>
  );
}

const SCOPE_WORDS = { read: 'Read', write: 'Write', metrics: 'Metrics' };

function TokenRow({ token, onRevoke }: { token: TokenWire; onRevoke: () => void }) {
  const { name, prefix, scopes, last_used_at: used, expires_at: end } = token;
  const now = useNow();
  const hasEnded = end !== null && Date.parse(end) <= now;
  return (
    <li className="flex items-center justify-between gap-3 border-b border-line py-2.5 first:pt-0 last:border-0">
      <div className="min-w-0">
        <p className="font-medium [overflow-wrap:anywhere]">
          <bdi>{name}</bdi>
        </p>
        <p className="text-meta text-fg-3">
          <code className="font-mono text-fg-2">{prefix}…</code> ·{' '}
          {scopes.map((scope) => SCOPE_WORDS[scope]).join(', ')}
        </p>
        <p className="num text-meta text-fg-3">
          {used === null ? (
            'Never used'
          ) : (
            <>
              Last used{' '}
              <time dateTime={used} title={utcTitle(used)}>
                {relativeTime(used, now)}
              </time>
            </>
          )}
          {' · '}
          {end === null ? (
            'Does not expire'
          ) : (
            <span className={hasEnded ? 'text-critical-fg' : ''}>
              {hasEnded ? 'Expired' : 'Expires'} <Time iso={end} />
            </span>
          )}
        </p>
      </div>
      <Button variant="outline" size="small" aria-label={`Revoke the token ${name}`} onClick={onRevoke}>
        Revoke
      </Button>
    </li>
  );
}
