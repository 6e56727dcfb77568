import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AuthorityWire } from '../../../contract/authority.ts';
import { listAuthorities, removeAuthority } from '../../../contract/calls/authority.ts';
import { call } from '../../lib/api-client.ts';
import { useNow } from '../../lib/use-now.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog, useRemoval } from '../../ui/confirm-dialog.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { useKeptFocus } from '../../ui/form/use-kept-focus.ts';
import { AddAuthority } from './add-authority.tsx';
import { ListPlaceholder } from './list-placeholder.tsx';
import { plural } from '../../lib/format.ts';

/** Lists, adds and removes private authorities. */
export function Authorities() {
  const read = useQuery({
    queryKey: ['authorities'],
    queryFn: ({ signal }) => call(listAuthorities, { signal }),
  });
  const [adding, setAdding] = useState(false);
  const focus = useKeptFocus<HTMLDivElement>();
  const removal = useRemoval({
    remove: ({ id }: AuthorityWire) => call(removeAuthority, { params: { id } }),
    reread: read.refetch,
    done: () => 'Authority removed: your domains no longer trust it.',
    failed: 'Could not remove the authority',
    focusAfter: () => focus.ref.current?.querySelector('button') ?? null,
  });

  const { data } = read;
  if (!data) return <ListPlaceholder what="your authorities" read={read} />;
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
              void read.refetch();
              if (count > 0)
                toast.success(
                  plural(
                    count,
                    'Authority added: your domains now trust it.',
                    'Authorities added: your domains now trust them.',
                  ),
                );
              else toast.info('Your domains already trust every certificate that you entered.');
            }}
          />
        ) : (
          <Button variant="outline" className="max-md:w-full" onClick={() => setAdding(true)}>
            Add an authority
          </Button>
        )}
      </div>
      <ConfirmDialog
        {...removal.dialog}
        title="Are you sure you want to remove this authority?"
        description={`Your domains will no longer trust certificates that “${removal.asked?.subject ?? ''}” issued.`}
        confirmLabel="Remove"
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
