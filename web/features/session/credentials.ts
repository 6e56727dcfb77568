import { z } from 'zod';
import { NAME_MAX_LENGTH, PASSWORD_MIN_LENGTH } from '../../../contract/words.ts';
import { lineSchema } from '../../../contract/text.ts';

const email = z
  .string()
  .trim()
  .min(1, { error: 'Please enter your email', abort: true })
  .pipe(z.email('Invalid email address'));

const password = z
  .string()
  .min(1, { error: 'Please enter your password', abort: true })
  .min(PASSWORD_MIN_LENGTH, `Password must be at least ${PASSWORD_MIN_LENGTH} characters long`);

export const loginSchema = z.object({ email, password });

export const signupSchema = z.object({
  name: lineSchema(NAME_MAX_LENGTH).min(1, 'Please enter your name'),
  company: lineSchema(NAME_MAX_LENGTH),
  email,
  password,
});

export const addressSchema = z.object({ email });
export const newPasswordSchema = z.object({ password });
