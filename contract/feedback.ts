import { z } from 'zod';

export const FEEDBACK_MAX_LENGTH = 5_000;

/** `POST /user_feedback/create`. The page sends the fixed word 'feedback' as title. */
export const feedbackSchema = z.object({
  title: z.literal('feedback'),
  message: z
    .string()
    .trim()
    .min(1, 'Please write something')
    .max(FEEDBACK_MAX_LENGTH)
    // PostgreSQL stores no NUL; lone surrogates have no UTF-8 form.
    .refine((text) => !text.includes('\0') && text.isWellFormed(), 'Please leave out control characters'),
});
