import { z } from 'zod';

export const FEEDBACK_MAX_LENGTH = 5_000;

/** Body of `POST /user_feedback/create`. The title is always 'feedback'. */
export const feedbackSchema = z.object({
  title: z.literal('feedback'),
  message: z
    .string()
    .trim()
    .min(1, 'Please write something')
    .max(FEEDBACK_MAX_LENGTH)
    // PostgreSQL cannot store NUL, and lone surrogates cannot be encoded in UTF-8.
    .refine((text) => !text.includes('\0') && text.isWellFormed(), 'Please remove control characters'),
});
