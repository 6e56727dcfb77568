import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { CurrentUser } from '../../lib/current-user.ts';
import { messageOf } from '../../lib/api-error.ts';
import { forgetUser } from '../../lib/query-client.ts';
import { toast } from '../../ui/toast.tsx';

/** Runs a login or a sign-up: the dashboard when it succeeds, a toast when it does not. */
export function useAuthentication<Credentials>(
  authenticate: (credentials: Credentials) => Promise<CurrentUser>,
): (credentials: Credentials) => Promise<void> {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  return async (credentials) => {
    try {
      await authenticate(credentials);
    } catch (error) {
      toast.error(`Failed to login: ${messageOf(error)}`);
      return;
    }
    forgetUser(queryClient);
    await navigate({ to: '/dashboard' });
  };
}
