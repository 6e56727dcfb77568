import { z } from 'zod';
import { PASSWORD_MIN_LENGTH } from '../../../contract/constants.ts';

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
  name: z.string().trim().min(1, 'Please enter your name'),
  company: z.string().trim(),
  email,
  password,
});

export const addressSchema = z.object({ email });
export const newPasswordSchema = z.object({ password });
