export { createIdentityProvider } from './built-in.ts';
export { createFirebaseIdentity } from './firebase.ts';
export type { IdentityProvider, TokenRefusal } from './identity-provider.ts';
export { createInvite, INVITE_DAYS, isInvited } from './invite.ts';
