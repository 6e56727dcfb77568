import { useState } from 'react';
import { deleteUser } from '../../../contract/calls/account.ts';
import { call } from '../../lib/api-client.ts';
import { messageOf } from '../../lib/api-error.ts';
import { useSignedIn } from '../../lib/account/current-user.ts';
import type { Identity } from '../../lib/account/identity.ts';
import { useStanding } from '../../lib/account/standing.ts';
import { counted } from '../../lib/format.ts';
import { useWrite } from '../../lib/use-write.ts';
import { useDomainSummary } from '../../domain/domain-queries.ts';
import { usePublicConfig } from '../../lib/public-config.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import { FreshSignInDialog } from './security/fresh-sign-in.tsx';

const FIREBASE_METHODS = { password: true, passkey: false, providers: [{ id: 'google', name: 'Google' }] };

/** Names what is deleted with the account. */
function WhatGoes() {
  const { data: summary } = useDomainSummary();
  const standing = useStanding();
  if (!summary || !standing) return null;
  const { total } = summary;
  const domains =
    total === 0 ? '' : `${counted(total, 'domain')} with ${total === 1 ? 'its' : 'their'} history and `;
  const isSubscribed = standing.source === 'subscription';
  return (
    <span className="mt-2 block">
      {`This deletes ${domains}all alert settings.`}
      {isSubscribed && ' It also cancels your Premium subscription.'}
    </span>
  );
}

/** Deletes the account after confirmation, then the user at the identity provider. */
export function DeleteAccount() {
  const { leave } = useSignedIn();
  const { identity } = usePublicConfig();
  const [asking, setAsking] = useState<'sure' | 'who' | null>(null);

  const remove = async (provider: Identity | null) => {
    await call(deleteUser);
    try {
      await provider?.deleteUser();
      toast.success('Account deleted.');
    } catch (error) {
      toast.warning(
        `We deleted your account, but not your sign-in at the identity provider: ${messageOf(error)}`,
      );
    }
    await leave();
  };

  const { mutate, isPending } = useWrite({
    mutationFn: () => remove(null),
    onError: (error) => {
      console.warn('The account could not be deleted.', error);
      toast.failed('Failed to delete the account', error);
    },
  });

  return (
    <>
      <Button variant="danger-outline" className="max-md:w-full" onClick={() => setAsking('sure')}>
        Delete Account
      </Button>
      <ConfirmDialog
        open={asking === 'sure'}
        onOpenChange={(open) => setAsking(open ? 'sure' : null)}
        title="Delete account"
        description={
          <>
            Are you sure you want to delete your account? This action cannot be undone.
            <WhatGoes />
          </>
        }
        processing={isPending}
        // Firebase deletes a user only after a recent sign-in.
        onConfirm={() => (identity.provider === 'firebase' ? setAsking('who') : mutate())}
      />
      <FreshSignInDialog
        open={asking === 'who'}
        onOpenChange={(open) => setAsking(open ? 'who' : null)}
        title="Delete account"
        description="This also deletes your sign-in at the identity provider."
        methods={FIREBASE_METHODS}
        act={(_, provider) => remove(provider)}
      />
    </>
  );
}
