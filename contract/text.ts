import { z } from 'zod';
import { grouped } from './words.ts';

/**
 * Returns a schema for a single line of user input, at most `maxLength` UTF-16 code units long. Rejects control characters:
 * they would break mail header lines, and PostgreSQL cannot store NUL. Rejects lone surrogates, which UTF-8 cannot encode.
 */
export function lineSchema(maxLength: number) {
  return z
    .string()
    .trim()
    .max(maxLength, atMost(maxLength))
    .refine((text) => !/\p{Cc}/u.test(text) && text.isWellFormed(), 'Please remove control characters');
}

function atMost(maxLength: number): string {
  return `Please enter at most ${grouped(maxLength)} characters`;
}

/** Returns a schema for multi-line user input, at most `maxLength` UTF-16 code units long. Converts all line breaks to LF. */
export function textSchema(maxLength: number) {
  return z
    .string()
    .transform((text) => text.replaceAll(/\r\n?/g, '\n').trim())
    .pipe(
      z
        .string()
        .max(maxLength, atMost(maxLength))
        .refine(
          (text) => !/(?![\n\t])\p{Cc}/u.test(text) && text.isWellFormed(),
          'Please remove control characters',
        ),
    );
}
