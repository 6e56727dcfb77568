import { z } from 'zod';
import { type Call, emptyEnvelope, envelope } from './call.ts';
import {
  codeSchema,
  identityMethodsSchema,
  identitySessionSchema,
  identityTokenSchema,
  newPasskeySchema,
  oidcCallbackSchema,
  oidcStartSchema,
  passkeyIdSchema,
  passwordSchema,
  resetPasswordSchema,
  resetRequestSchema,
  resumedSchema,
  signInAnswerSchema,
  signInSchema,
  signUpSchema,
  totpSetupSchema,
  webAuthnResponseSchema,
} from '../identity.ts';

const succeeded = z.looseObject({});

// Calls of the built-in identity provider. All calls answer 404 if another provider is configured.

// Calls with public access that need to know the user rely on a short-lived session of the provider. Its cookie is sent only
// below /api/identity, and it ends when its ID token is exchanged for the product's session. Therefore a change of passkeys
// or one-time codes needs a new session of the provider: sign in again, make the change, sign out. Shortly after a sign-in,
// `resumeIdentity` opens this session without asking for the password again.

export const signUp = {
  method: 'post',
  path: '/identity/sign-up/email',
  access: 'public',
  summary: 'Sign up with the built-in provider; sets the provider’s own short-lived cookie',
  body: signUpSchema,
  response: identitySessionSchema,
  status: 200,
  problems: ['signups_closed', 'email_taken', 'password_breached'],
} as const satisfies Call;

export const signIn = {
  method: 'post',
  path: '/identity/sign-in/email',
  access: 'public',
  summary: 'Sign in with the built-in provider; sets the provider’s own short-lived cookie',
  body: signInSchema,
  response: signInAnswerSchema,
  status: 200,
  problems: ['invalid_credentials'],
} as const satisfies Call;

export const signOut = {
  method: 'post',
  path: '/identity/sign-out',
  access: 'public',
  summary: 'End the built-in provider’s own session',
  response: z.object({ success: z.boolean() }),
  status: 200,
  problems: [],
} as const satisfies Call;

export const identityToken = {
  method: 'get',
  path: '/identity/token',
  access: 'public',
  summary: 'Get an ID token for the built-in provider’s session, valid for five minutes',
  response: identityTokenSchema,
  status: 200,
  problems: ['not_authenticated'],
} as const satisfies Call;

export const identityKeys = {
  method: 'get',
  path: '/identity/jwks',
  access: 'public',
  summary: 'Get the public keys of the built-in provider as a JWK Set (RFC 7517)',
  response: z.object({ keys: z.array(z.record(z.string(), z.unknown())) }),
  status: 200,
  problems: [],
} as const satisfies Call;

export const identityMethods = {
  method: 'get',
  path: '/identity/methods',
  access: 'session',
  summary: 'Get the sign-in methods of the signed-in user',
  response: envelope(identityMethodsSchema),
  status: 200,
  problems: [],
} as const satisfies Call;

export const resumeIdentity = {
  method: 'post',
  path: '/identity/resume',
  access: 'session',
  summary:
    'Open a session of the built-in provider without another sign-in, if the last one is at most five minutes old',
  response: envelope(resumedSchema),
  status: 200,
  problems: [],
} as const satisfies Call;

export const requestPasswordReset = {
  method: 'post',
  path: '/identity/request-password-reset',
  access: 'public',
  summary: 'Send a mail with a password reset link; gives the same answer if the address has no account',
  body: resetRequestSchema,
  response: emptyEnvelope,
  status: 200,
  problems: [],
} as const satisfies Call;

export const resetPassword = {
  method: 'post',
  path: '/identity/reset-password',
  access: 'public',
  summary:
    'Set a new password with the token of the mailed link, valid once within 30 minutes; ends all sessions',
  body: resetPasswordSchema,
  response: emptyEnvelope,
  status: 200,
  problems: ['invalid_token', 'password_breached'],
} as const satisfies Call;

export const verifyTotp = {
  method: 'post',
  path: '/identity/two-factor/verify-totp',
  access: 'public',
  summary: 'Complete a sign-in, or the setup of an authenticator app, with a one-time code',
  body: codeSchema,
  response: succeeded,
  status: 200,
  problems: ['not_authenticated', 'invalid_code'],
} as const satisfies Call;

export const verifyBackupCode = {
  method: 'post',
  path: '/identity/two-factor/verify-backup-code',
  access: 'public',
  summary: 'Complete a sign-in with a backup code, which works once',
  body: codeSchema,
  response: succeeded,
  status: 200,
  problems: ['not_authenticated', 'invalid_code'],
} as const satisfies Call;

export const enableTotp = {
  method: 'post',
  path: '/identity/two-factor/enable',
  access: 'public',
  summary: 'Set up one-time codes; they become required after `verifyTotp` confirms one',
  body: passwordSchema,
  response: totpSetupSchema,
  status: 200,
  problems: ['not_authenticated', 'invalid_credentials'],
} as const satisfies Call;

export const disableTotp = {
  method: 'post',
  path: '/identity/two-factor/disable',
  access: 'public',
  summary: 'Stop using one-time codes',
  body: passwordSchema,
  response: succeeded,
  status: 200,
  problems: ['not_authenticated', 'invalid_credentials'],
} as const satisfies Call;

export const passkeySignInOptions = {
  method: 'get',
  path: '/identity/passkey/generate-authenticate-options',
  access: 'public',
  summary:
    'Get the options for a passkey sign-in: PublicKeyCredentialRequestOptions as JSON (WebAuthn level 3)',
  response: succeeded,
  status: 200,
  problems: [],
} as const satisfies Call;

export const passkeySignIn = {
  method: 'post',
  path: '/identity/passkey/verify-authentication',
  access: 'public',
  summary: 'Sign in with a passkey; sets the provider’s own short-lived cookie',
  body: webAuthnResponseSchema,
  response: succeeded,
  status: 200,
  problems: ['invalid_credentials'],
} as const satisfies Call;

export const newPasskeyOptions = {
  method: 'get',
  path: '/identity/passkey/generate-register-options',
  access: 'public',
  summary: 'Get the options for a new passkey: PublicKeyCredentialCreationOptions as JSON (WebAuthn level 3)',
  response: succeeded,
  status: 200,
  problems: ['not_authenticated'],
} as const satisfies Call;

export const addPasskey = {
  method: 'post',
  path: '/identity/passkey/verify-registration',
  access: 'public',
  summary: 'Register a new passkey',
  body: newPasskeySchema,
  response: succeeded,
  status: 200,
  problems: ['not_authenticated'],
} as const satisfies Call;

export const removePasskey = {
  method: 'post',
  path: '/identity/passkey/delete-passkey',
  access: 'public',
  summary: 'Remove a passkey',
  body: passkeyIdSchema,
  response: succeeded,
  status: 200,
  problems: ['not_authenticated', 'not_found'],
} as const satisfies Call;

export const oidcStart = {
  method: 'post',
  path: '/identity/sign-in/oauth2',
  access: 'public',
  summary: 'Get the URL of an OpenID provider, to open in a popup',
  body: oidcStartSchema,
  response: z.object({ url: z.string() }),
  status: 200,
  problems: ['identity_unavailable', 'not_found'],
} as const satisfies Call;

export const oidcCallback = {
  method: 'get',
  path: '/identity/oauth2/callback/{id}',
  access: 'public',
  summary: 'Handle the redirect back from the OpenID provider; redirects the popup to /signed-in',
  params: z.object({ id: z.string().max(50) }),
  query: oidcCallbackSchema,
  response: null,
  status: 302,
  problems: ['not_found'],
} as const satisfies Call;
