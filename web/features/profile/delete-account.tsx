import { useState } from 'react';
import { messageOf } from '../../lib/api-error.ts';
import { useSignedIn } from '../../lib/current-user.ts';
import type { Identity } from '../../lib/identity.ts';
import { usePublicConfig } from '../../lib/public-config.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import { deleteAccount } from './profile-calls.ts';
import { FreshSignInDialog } from './security/fresh-sign-in.tsx';

const FIREBASE_WAYS = { password: true, passkey: false, providers: [{ id: 'google', name: 'Google' }] };

/** Deletes the account after one question, and then whoever it was at the provider. */
export function DeleteAccount() {
  const { leave } = useSignedIn();
  const { identity } = usePublicConfig();
  const [asking, setAsking] = useState<'sure' | 'who' | null>(null);
  const [processing, setProcessing] = useState(false);

  const remove = async (provider: Identity | null) => {
    await deleteAccount();
    try {
      await provider?.deleteUser();
      toast.success('Your account is deleted.');
    } catch (error) {
      toast.warning(`Your account is deleted, but not your sign-in: ${messageOf(error)}`);
    }
    await leave();
  };

  const confirm = async () => {
    // Firebase lets only those delete themselves who have just signed in.
    if (identity.provider === 'firebase') {
      setAsking('who');
      return;
    }
    setProcessing(true);
    try {
      await remove(null);
    } catch (error) {
      console.warn('The account could not be deleted.', error);
      toast.error(`Failed to delete the account: ${messageOf(error)}`);
      setProcessing(false);
    }
  };

  return (
    <>
      <Button variant="danger-outline" className="max-md:w-full" onClick={() => setAsking('sure')}>
        Delete Account
      </Button>
      <ConfirmDialog
        open={asking === 'sure'}
        onOpenChange={(open) => setAsking(open ? 'sure' : null)}
        title="Delete account"
        description="Are you sure you want to delete your account? This action cannot be undone."
        processing={processing}
        onConfirm={() => void confirm()}
      />
      <FreshSignInDialog
        open={asking === 'who'}
        onOpenChange={(open) => setAsking(open ? 'who' : null)}
        title="Delete account"
        description="Your sign-in with the identity provider goes with it."
        ways={FIREBASE_WAYS}
        act={(_, provider) => remove(provider)}
      />
    </>
  );
}
