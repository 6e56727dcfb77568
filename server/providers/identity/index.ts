export { createIdentityProvider } from './built-in.ts';
export type { IdentityProvider } from './identity-provider.ts';
export { createInvite, INVITE_DAYS, isInvited } from './invite.ts';
