export { createIdentityProvider } from './built-in.ts';
export { createFirebaseIdentity } from './firebase.ts';
export { BUILT_IN } from './id-token.ts';
export { IdentityUnavailable } from './identity-provider.ts';
export type { BuiltInActions, IdentityEvents, IdentityProvider, TokenFailure } from './identity-provider.ts';
export { WEAK_PASSWORD_CODES } from './library-options.ts';
export type { PasswordWeakness } from './weak-password.ts';
export { createInvite, INVITE_DAYS, signUpPolicy } from './invite.ts';
