import { z } from 'zod';
import { NAME_MAX_LENGTH, PASSWORD_MIN_LENGTH } from './words.ts';
import { lineSchema } from './text.ts';

const PASSWORD_MAX_LENGTH = 128;
const EMAIL_MAX_LENGTH = 254;

const emailSchema = z.email('Invalid email address').max(EMAIL_MAX_LENGTH);
const newPassword = z
  .string()
  .min(PASSWORD_MIN_LENGTH, `Password must be at least ${PASSWORD_MIN_LENGTH} characters long`)
  .max(PASSWORD_MAX_LENGTH, `Password must be at most ${PASSWORD_MAX_LENGTH} characters long`);
const password = z.string().min(1, 'Please enter your password').max(PASSWORD_MAX_LENGTH);
const token = z.string().min(1).max(4096);

/** Sign-up with the built-in identity provider. `invite` is required if sign-up is by invitation. */
export const signUpSchema = z.object({
  name: lineSchema(NAME_MAX_LENGTH).min(1, 'Please enter your name'),
  email: emailSchema,
  password: newPassword,
  /** Company name. It is kept until the account is created, which can be at a later sign-in. */
  company: lineSchema(NAME_MAX_LENGTH).optional(),
  /** True if the person signed up through a button that offers the trial. Kept like `company`. */
  trial: z.boolean().optional(),
  invite: z.string().max(2048).optional(),
});

export const signInSchema = z.object({ email: emailSchema, password });

export const identitySessionSchema = z.object({
  user: z.object({ id: z.string(), email: z.string(), name: z.string() }),
});

/** Answer to a correct password: a session, or the request for a one-time code. */
export const signInAnswerSchema = z.union([
  identitySessionSchema,
  z.object({ twoFactorRedirect: z.literal(true) }),
]);

/** Whether a session was opened; false if the last sign-in is too long ago. */
export const resumedSchema = z.object({ resumed: z.boolean() });

export const identityTokenSchema = z.object({ token: z.string() });

export const verifyEmailSchema = z.object({ token });
export const resetRequestSchema = z.object({ email: emailSchema });
export const resetPasswordSchema = z.object({ token, password: newPassword });
export const passwordSchema = z.object({ password });
export const codeSchema = z.object({ code: z.string().trim().min(1).max(40) });

/** `totpURI` is the otpauth: URI that authenticator apps read. Each backup code works once. */
export const totpSetupSchema = z.object({ totpURI: z.string(), backupCodes: z.array(z.string()) });

/** The result of `navigator.credentials` in its `toJSON` form. The provider's library validates the rest. */
const credentialJson = z.looseObject({ id: z.string().max(2048), type: z.literal('public-key') });
export type CredentialJson = z.input<typeof credentialJson>;
export const webAuthnResponseSchema = z.object({ response: credentialJson });
export const newPasskeySchema = z.object({ response: credentialJson, name: lineSchema(100).optional() });
export const passkeyIdSchema = z.object({ id: z.string().min(1).max(100) });

export const oidcStartSchema = z.object({
  provider: z.string().min(1).max(50),
  /** Same as `trial` in `signUpSchema`. */
  trial: z.boolean().optional(),
  /** Invitation code, required for a new account if sign-up is by invitation. */
  invite: z.string().max(2048).optional(),
});

const callbackParameter = z.string().max(4096).optional();
/** Query parameters that an OpenID provider sends back (RFC 6749 §4.1.2, RFC 9207); others are dropped. */
export const oidcCallbackSchema = z.object({
  code: callbackParameter,
  state: callbackParameter,
  iss: callbackParameter,
  error: callbackParameter,
});

/** The sign-in methods of the signed-in user. Instants are ISO 8601 UTC. */
export const identityMethodsSchema = z.object({
  provider: z.enum(['built-in', 'firebase']),
  password: z.boolean(),
  totp: z.boolean(),
  passkeys: z.array(z.object({ id: z.string(), name: z.string(), created_at: z.string() })),
  /** Ids of the OpenID providers that the user has signed in with. */
  oidc: z.array(z.string()),
});
export type IdentityMethodsWire = z.infer<typeof identityMethodsSchema>;
