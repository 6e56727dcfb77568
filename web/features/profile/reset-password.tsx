import { useState } from 'react';
import { messageOf } from '../../lib/api-error.ts';
import { useSignedIn } from '../../lib/current-user.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/toast.tsx';

/** Mails the link that sets a new password to the account's own address. */
export function ResetPassword() {
  const { user, identity } = useSignedIn();
  const [busy, setBusy] = useState(false);

  const reset = async () => {
    if (user.email === '') {
      toast.error('No authenticated user with a valid email.');
      return;
    }
    setBusy(true);
    try {
      await (await identity()).requestPasswordReset(user.email);
      toast.success('Password reset email sent.');
    } catch (error) {
      toast.error(`Failed to send password reset email: ${messageOf(error)}`);
    }
    setBusy(false);
  };

  return (
    <Button variant="outline" className="max-md:w-full" busy={busy} onClick={() => void reset()}>
      Reset Password
    </Button>
  );
}
