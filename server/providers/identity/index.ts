export { createIdentityProvider } from './built-in.ts';
export type { IdentityClaims, IdentityProvider, TokenRefusal } from './identity-provider.ts';
export { createInvite, INVITE_DAYS, isInvited } from './invite.ts';
