import { z } from 'zod';
import { IMPORT_SIZE, MOST_TAGS, NOTES_MAX_LENGTH, TAG_MAX_LENGTH } from './words.ts';
import { domainSchema } from './domain.ts';
import { problemCodeSchema } from './problem.ts';

/** No blanks around it, and no half of a character at its end. */
function cut(text: string, maxLength: number): string {
  const whole = text.toWellFormed().trim();
  const cutText = whole.slice(0, maxLength);
  return (cutText.isWellFormed() ? cutText : cutText.slice(0, -1)).trim();
}

/**
 * One line of a paste or a file: `host` as somebody wrote it. What is too long or too much of the rest is cut, not
 * refused: it was written for another program.
 */
const importEntrySchema = z.object({
  host: z.string().max(2048),
  tags: z
    .array(z.string())
    .max(100)
    .default([])
    .transform((tags) => {
      const cleaned = tags.map((tag) =>
        cut(tag.replaceAll(/[\p{Cc},]/gu, ' ').toLowerCase(), TAG_MAX_LENGTH),
      );
      return [...new Set(cleaned.filter((tag) => tag !== ''))].slice(0, MOST_TAGS);
    }),
  notes: z
    .string()
    .default('')
    .transform((notes) => cut(notes.replaceAll(/(?![\n])\p{Cc}/gu, ' '), NOTES_MAX_LENGTH)),
});
export type ImportEntry = z.input<typeof importEntrySchema>;

/** The page sends a long paste in several calls, one after the other. */
export const importSchema = z.object({
  entries: z.array(importEntrySchema).min(1).max(IMPORT_SIZE, `At most ${IMPORT_SIZE} lines at once`),
});

/** What would become of each entry, in their order. */
export const importPreviewSchema = z.object({
  /** How many more domains the plan holds; null where it has no limit. */
  room: z.number().int().nullable(),
  entries: z.array(
    z.object({
      /** `exists`: tracked already; two entries of one endpoint are both `new`: the same `endpoint` tells. */
      outcome: z.enum(['new', 'exists', 'invalid']),
      /** host:port after normalising; null where it is invalid. */
      endpoint: z.string().nullable(),
      display_name: z.string().nullable(),
      /** Why it is invalid. */
      message: z.string().nullable(),
    }),
  ),
});
export type ImportPreview = z.infer<typeof importPreviewSchema>;

/** In the order of the entries. `problem` null: it was added; its first check follows by itself. */
export const importResultSchema = z.array(
  z.object({
    problem: problemCodeSchema.nullable(),
    message: z.string().nullable(),
    domain: domainSchema.nullable(),
  }),
);
export type ImportResult = z.infer<typeof importResultSchema>;
