import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ApiError } from '../../lib/api-error.ts';
import { type Identity, type SecondStep, SignInCancelled } from '../../lib/account/identity.ts';
import { usePublicConfig } from '../../lib/public-config.ts';
import { returnAddress } from '../../lib/search-parameters.ts';
import { toast } from '../../ui/toast.tsx';
import { loadIdentity } from './identity/load-identity.ts';
import { openSession, type SignInDetails } from './session.ts';

/** Signs in with the provider; resolves to the second step if one is needed, else null. */
export type ProviderSignIn = (identity: Identity) => Promise<SecondStep | null>;

export interface Authentication {
  /**
   * Runs a login or sign-up. On success opens the requested page or the dashboard; on failure shows a toast and returns the
   * error, which the form must not say again.
   */
  authenticate: (prove: ProviderSignIn, details: SignInDetails) => Promise<ApiError | null>;
  /** The second step that the last login still needs; null if it needs none. */
  pending: { step: SecondStep; details: SignInDetails } | null;
}

interface Destination {
  /** The page to open instead of the dashboard; ignored unless it is a protected page of this origin. */
  next?: string | undefined;
  /** The host that was checked on the landing page, to be added after the sign-in. */
  host?: string | undefined;
}

/** Signs in or up, then opens the requested page. */
export function useAuthentication({ next, host }: Destination): Authentication {
  const navigate = useNavigate();
  const { identity: provider } = usePublicConfig();
  const mailedToken = useLocation({ select: ({ state }) => state.mailedToken });
  const [pending, setPending] = useState<Authentication['pending']>(null);

  // Browsers open a popup only during a click, so the provider's code is loaded before.
  useEffect(() => {
    loadIdentity(provider).catch(() => undefined);
  }, [provider]);

  const authenticate: Authentication['authenticate'] = async (prove, details) => {
    try {
      const identity = await loadIdentity(provider);
      const step = await prove(identity);
      if (step) {
        setPending({ step, details });
        return null;
      }
      const user = await openSession(identity, details);
      if (host !== undefined) await keepHost(user.id, host);
    } catch (error) {
      if (error instanceof SignInCancelled) return null;
      toast.failed('Failed to login', error);
      const failure = error instanceof ApiError ? error : null;
      // The provider's session has expired: ask for the password again.
      if (failure?.code === 'not_authenticated') setPending(null);
      return failure;
    }
    // The page is validated again here, because an absolute URL in `href` would leave the site.
    const href = returnAddress(next);
    await (mailedToken === undefined
      ? navigate({ to: '/dashboard', ...(href !== undefined && { href }) })
      : navigate({ to: '/verify', state: { mailedToken } }));
    return null;
  };

  return { authenticate, pending };
}

/** Stores the host that was checked on the landing page, so that the dashboard adds it. */
async function keepHost(userId: string, host: string): Promise<void> {
  try {
    const { ADD_DOMAIN_DRAFT, HOST_TO_WATCH, keepDraft } = await import('../../lib/drafts.ts');
    keepDraft(userId, ADD_DOMAIN_DRAFT, host);
    keepDraft(userId, HOST_TO_WATCH, host);
  } catch {
    // The code for drafts failed to load. The sign-in goes on, and the user can type the host again.
  }
}
