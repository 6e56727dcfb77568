import type { PublicConfig } from '../../../../contract/public-config.ts';
import type { Identity } from '../../../lib/account/identity.ts';

const GOOGLE = { id: 'google', name: 'Google' };

type IdentityConfig = PublicConfig['identity'];

let loading: { provider: IdentityConfig['provider']; identity: Promise<Identity> } | null = null;

async function load(config: IdentityConfig): Promise<Identity> {
  try {
    if (config.provider === 'firebase') return (await import('./firebase.ts')).createFirebaseIdentity(config);
    return (await import('./built-in.ts')).createBuiltInIdentity();
  } catch (error) {
    loading = null;
    throw new Error('The server could not be reached', { cause: error });
  }
}

/** Loads the identity provider of this deployment on first use. */
export function loadIdentity(config: IdentityConfig): Promise<Identity> {
  if (loading?.provider !== config.provider) loading = { provider: config.provider, identity: load(config) };
  return loading.identity;
}

/** Ends the provider's session. Firebase only knows users who signed in since the page load. */
export async function signOutOfIdentity(config: IdentityConfig): Promise<void> {
  if (config.provider === 'firebase' && loading === null) return;
  await (await loadIdentity(config)).signOut();
}

/** Returns the providers besides email and password, in button order. */
export function otherProviders(identity: PublicConfig['identity']): { id: string; name: string }[] {
  return identity.provider === 'firebase' ? [GOOGLE] : identity.oidc;
}
