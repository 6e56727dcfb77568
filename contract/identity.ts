import { z } from 'zod';
import { PASSWORD_MIN_LENGTH } from './constants.ts';
import { lineSchema } from './text.ts';

const PASSWORD_MAX_LENGTH = 128;
const EMAIL_MAX_LENGTH = 254;

const emailSchema = z.email('Invalid email address').max(EMAIL_MAX_LENGTH);

/** The built-in identity provider's standard routes. `invite` is needed where sign-up is by invitation. */
export const signUpSchema = z.object({
  name: lineSchema(200).min(1, 'Please enter your name'),
  email: emailSchema,
  password: z
    .string()
    .min(PASSWORD_MIN_LENGTH, `Password must be at least ${PASSWORD_MIN_LENGTH} characters long`)
    .max(PASSWORD_MAX_LENGTH, `Password must be at most ${PASSWORD_MAX_LENGTH} characters long`),
  invite: z.string().max(2048).optional(),
});

export const signInSchema = z.object({
  email: emailSchema,
  password: z.string().min(1, 'Please enter your password').max(PASSWORD_MAX_LENGTH),
});

export const identitySessionSchema = z.object({
  user: z.object({ id: z.string(), email: z.string(), name: z.string() }),
});

export const identityTokenSchema = z.object({ token: z.string() });
