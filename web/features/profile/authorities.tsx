import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { AuthorityWire } from '../../../contract/authority.ts';
import { useNow } from '../../lib/use-now.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { useKeptFocus } from '../../ui/use-kept-focus.ts';
import { AddAuthority } from './add-authority.tsx';
import { AwaitedList } from './awaited-list.tsx';
import { fetchAuthorities, removeAuthority } from './authority-calls.ts';
import { useRemoval } from './use-removal.ts';

const KEY = ['authorities'] as const;

/** The private authorities of the account: lists, adds and removes them. */
export function Authorities() {
  const queryClient = useQueryClient();
  const { data, error, refetch } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => fetchAuthorities(signal),
  });
  const [adding, setAdding] = useState(false);
  const focus = useKeptFocus<HTMLDivElement>();
  const removal = useRemoval<AuthorityWire>({
    key: KEY,
    remove: removeAuthority,
    done: 'The authority is trusted no longer.',
    failed: 'The authority was not removed',
  });

  if (!data) return <AwaitedList what="Your authorities" error={error} onRetry={() => void refetch()} />;
  return (
    <div className="grid gap-4">
      {data.length > 0 && (
        <ul className="grid">
          {data.map((authority) => (
            <AuthorityRow key={authority.id} authority={authority} onRemove={() => removal.ask(authority)} />
          ))}
        </ul>
      )}
      <div {...focus}>
        {adding ? (
          <AddAuthority
            onDone={(authorities) => {
              setAdding(false);
              if (authorities === null) return;
              const count = authorities.length - data.length;
              queryClient.setQueryData<AuthorityWire[]>(KEY, authorities);
              if (count > 0)
                toast.success(count === 1 ? 'The authority is trusted.' : 'The authorities are trusted.');
              else toast.info('You trusted it already.');
            }}
          />
        ) : (
          <Button variant="outline" className="max-md:w-full" onClick={() => setAdding(true)}>
            Add an authority
          </Button>
        )}
      </div>
      <ConfirmDialog
        open={removal.asked !== null}
        onOpenChange={removal.cancel}
        title="Are you sure you want to remove this authority?"
        description={`Certificates that “${removal.asked?.subject ?? ''}” has issued will no longer be trusted on your domains.`}
        confirmLabel="Remove"
        processing={removal.isBusy}
        onConfirm={() => void removal.confirm()}
        focusAfterClose={() =>
          removal.isDone() ? (focus.ref.current?.querySelector('button') ?? null) : null
        }
      />
    </div>
  );
}

function AuthorityRow({ authority, onRemove }: { authority: AuthorityWire; onRemove: () => void }) {
  const { subject, subject_full_dn: dn, expiry_date: expiry, added_at: added } = authority;
  const hasExpired = Date.parse(expiry) < useNow();
  return (
    <li className="flex items-center justify-between gap-3 border-b border-line py-2.5 first:pt-0 last:border-0">
      <div className="min-w-0">
        <p className="font-medium [overflow-wrap:anywhere]" title={dn}>
          {subject}
        </p>
        <p className="num text-meta text-fg-3">
          <span className={hasExpired ? 'text-critical-fg' : ''}>
            {hasExpired ? 'Expired' : 'Expires'} <Time iso={expiry} />
          </span>
          {' · '}Added <Time iso={added} />
        </p>
      </div>
      <Button
        variant="outline"
        size="small"
        aria-label={`Remove the authority ${subject}`}
        onClick={onRemove}
      >
        Remove
      </Button>
    </li>
  );
}
