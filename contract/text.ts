import { z } from 'zod';

/**
 * One line of text from a person. Control characters would break header lines, and PostgreSQL stores no NUL at all;
 * lone surrogates have no UTF-8 form.
 */
export function lineSchema(maxLength: number) {
  return z
    .string()
    .trim()
    .max(maxLength, atMost(maxLength))
    .refine((text) => !/\p{Cc}/u.test(text) && text.isWellFormed(), 'Please leave out control characters');
}

function atMost(maxLength: number): string {
  return `Please enter at most ${maxLength.toLocaleString('en')} characters`;
}

/** Text from a person that may have lines, which end in LF alone however they were typed. */
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
          'Please leave out control characters',
        ),
    );
}
