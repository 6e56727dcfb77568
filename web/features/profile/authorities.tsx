import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { AuthorityWire } from '../../../contract/authority.ts';
import { messageOf } from '../../lib/api-error.ts';
import { useNow } from '../../lib/use-now.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { useKeptFocus } from '../../ui/use-kept-focus.ts';
import { AddAuthority } from './add-authority.tsx';
import { fetchAuthorities, removeAuthority } from './authority-calls.ts';

const KEY = ['authorities'] as const;

/** The private authorities of the account: lists, adds and removes them. */
export function Authorities() {
  const queryClient = useQueryClient();
  const { data, error, refetch } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => fetchAuthorities(signal),
  });
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<AuthorityWire | null>(null);
  const [isBusy, setBusy] = useState(false);
  const focus = useKeptFocus<HTMLDivElement>();
  const isRemoved = useRef(false);

  const remove = async ({ id }: AuthorityWire) => {
    setBusy(true);
    try {
      await removeAuthority(id);
      queryClient.setQueryData<AuthorityWire[]>(KEY, (former) => former?.filter((one) => one.id !== id));
      toast.success('The authority is trusted no longer.');
      isRemoved.current = true;
      setRemoving(null);
    } catch (failure) {
      toast.error(`The authority was not removed: ${messageOf(failure)}`);
    }
    setBusy(false);
  };

  if (error && !data)
    return (
      <div>
        <p className="text-fg-2">Your authorities could not be loaded: {messageOf(error)}</p>
        <Button variant="outline" size="small" className="mt-3" onClick={() => void refetch()}>
          Try again
        </Button>
      </div>
    );
  if (!data)
    return (
      <div className="grid gap-2 py-1">
        <Skeleton className="h-4 w-40" />
        <Skeleton className="h-3 w-56" />
      </div>
    );
  return (
    <div className="grid gap-4">
      {data.length > 0 && (
        <ul className="grid">
          {data.map((authority) => (
            <AuthorityRow
              key={authority.id}
              authority={authority}
              onRemove={() => {
                isRemoved.current = false;
                setRemoving(authority);
              }}
            />
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
        open={removing !== null}
        onOpenChange={() => setRemoving(null)}
        title="Are you sure you want to remove this authority?"
        description={`Certificates that “${removing?.subject ?? ''}” has issued will no longer be trusted on your domains.`}
        confirmLabel="Remove"
        processing={isBusy}
        onConfirm={() => removing && void remove(removing)}
        focusAfterClose={() =>
          isRemoved.current ? (focus.ref.current?.querySelector('button') ?? null) : null
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
