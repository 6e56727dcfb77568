import type { PublicConfig } from '../../../contract/public-config.ts';

const GOOGLE = { id: 'google', name: 'Google' };

/** The providers beside email and password, in the order of their buttons. */
export function otherProviders(identity: PublicConfig['identity']): { id: string; name: string }[] {
  return identity.provider === 'firebase' ? [GOOGLE] : identity.oidc;
}
