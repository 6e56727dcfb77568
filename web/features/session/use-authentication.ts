import { useQueryClient } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ApiError, messageOf } from '../../lib/api-error.ts';
import { SignInCancelled } from '../../lib/identity.ts';
import type { Identity, SecondStep } from '../../lib/identity.ts';
import { usePublicConfig } from '../../lib/public-config.ts';
import { forgetUser } from '../../lib/query-client.ts';
import { returnAddress } from '../../lib/return-address.ts';
import { toast } from '../../ui/toast.tsx';
import { loadIdentity } from './identity/load-identity.ts';
import { openSession } from './session.ts';
import type { Arrival } from './session.ts';

/** Signs in with the provider; null when done, else what is still needed. */
export type Proof = (identity: Identity) => Promise<SecondStep | null>;

export interface Authentication {
  /**
   * Runs a login or a sign-up. When it succeeds: the page that asked for it, else the dashboard. A toast and the failure
   * when it does not.
   */
  authenticate: (prove: Proof, arrival: Arrival) => Promise<ApiError | null>;
  /** What the last login still needs; null while it needs nothing. */
  pending: { step: SecondStep; arrival: Arrival } | null;
}

interface Destination {
  /** The page to open instead of the dashboard; ignored unless it is a protected page of this origin. */
  next?: string | undefined;
  /** Is offered in the form that adds a domain. */
  host?: string | undefined;
}

/** Signs in or up from the login and sign-up pages, and opens the page behind them. */
export function useAuthentication({ next, host }: Destination): Authentication {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const { identity: provider } = usePublicConfig();
  const mailedToken = useLocation({ select: ({ state }) => state.mailedToken });
  const [pending, setPending] = useState<Authentication['pending']>(null);

  // A popup opens only while the click counts: so the code is here before the click.
  useEffect(() => {
    loadIdentity(provider).catch(() => undefined);
  }, [provider]);

  const authenticate: Authentication['authenticate'] = async (prove, arrival) => {
    try {
      const identity = await loadIdentity(provider);
      const step = await prove(identity);
      if (step) {
        setPending({ step, arrival });
        return null;
      }
      const user = await openSession(identity, arrival);
      if (host !== undefined) await keepHost(user.id, host);
    } catch (error) {
      if (error instanceof SignInCancelled) return null;
      toast.error(`Failed to login: ${messageOf(error)}`);
      const failure = error instanceof ApiError ? error : null;
      // The provider has forgotten that the password was right.
      if (failure?.code === 'not_authenticated') setPending(null);
      return failure;
    }
    forgetUser(queryClient);
    // Checked here again: `href` leaves the site for an absolute address.
    const href = returnAddress(next);
    await (mailedToken === undefined
      ? navigate({ to: '/dashboard', ...(href !== undefined && { href }) })
      : navigate({ to: '/verify', state: { mailedToken } }));
    return null;
  };

  return { authenticate, pending };
}

/** So that the form that adds a domain begins with the host that was looked at on the landing page. */
async function keepHost(userId: string, host: string): Promise<void> {
  try {
    const { ADD_DOMAIN_DRAFT, keepDraft } = await import('../../lib/draft.ts');
    keepDraft(userId, ADD_DOMAIN_DRAFT, host);
  } catch {
    // Its code could not be loaded: they are signed in all the same, and type it again.
  }
}
