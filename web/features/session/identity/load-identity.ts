import type { PublicConfig } from '../../../../contract/public-config.ts';
import type { Identity } from '../../../lib/identity.ts';

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

/** The identity provider of this deployment; its code comes when it is first asked for. */
export function loadIdentity(config: IdentityConfig): Promise<Identity> {
  if (loading?.provider !== config.provider) loading = { provider: config.provider, identity: load(config) };
  return loading.identity;
}

/** Ends the provider's own session. Firebase remembers nobody who has not signed in since the page was loaded. */
export async function signOutOfIdentity(config: IdentityConfig): Promise<void> {
  if (config.provider === 'firebase' && loading === null) return;
  await (await loadIdentity(config)).signOut();
}
