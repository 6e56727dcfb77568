import { z } from 'zod';
import { IMPORT_SIZE, MAX_TAGS, NOTES_MAX_LENGTH, TAG_MAX_LENGTH } from './words.ts';
import { domainSchema, targetFieldsSchema } from './domain.ts';
import { problemCodeSchema } from './problem.ts';

/** Trims `text` and truncates it to `maxLength` UTF-16 code units without splitting a surrogate pair. */
function truncate(text: string, maxLength: number): string {
  const wellFormed = text.toWellFormed().trim();
  const truncated = wellFormed.slice(0, maxLength);
  return (truncated.isWellFormed() ? truncated : truncated.slice(0, -1)).trim();
}

/**
 * One line of pasted text or of a file, with `host` as entered. Entries may come from another program with other limits: tags
 * and notes that are too long are truncated, and of up to 100 tags only the first ones are kept.
 */
const importEntrySchema = targetFieldsSchema.extend({
  host: z.string().max(2048),
  tags: z
    .array(z.string())
    .max(100)
    .default([])
    .transform((tags) => {
      const cleaned = tags.map((tag) =>
        truncate(tag.replaceAll(/[\p{Cc},]/gu, ' ').toLowerCase(), TAG_MAX_LENGTH),
      );
      return [...new Set(cleaned.filter((tag) => tag !== ''))].slice(0, MAX_TAGS);
    }),
  notes: z
    .string()
    .default('')
    .transform((notes) => truncate(notes.replaceAll(/(?![\n])\p{Cc}/gu, ' '), NOTES_MAX_LENGTH)),
});
export type ImportEntry = z.input<typeof importEntrySchema>;

/** Lines to import. The web app splits longer input into several calls. */
export const importSchema = z.object({
  entries: z.array(importEntrySchema).min(1).max(IMPORT_SIZE, `Import at most ${IMPORT_SIZE} lines at once`),
});

/** Predicted result for each entry, in request order. */
export const importPreviewSchema = z.object({
  /** Number of further domains that the plan allows; null without a limit. */
  room: z.number().int().nullable(),
  entries: z.array(
    z.object({
      /**
       * Predicted result. `exists`: the account already monitors the endpoint. Duplicates within the request are all `new` and
       * have the same `endpoint`.
       */
      outcome: z.enum(['new', 'exists', 'invalid']),
      /** Normalised host:port, with the target if there is one; null if the line is invalid. */
      endpoint: z.string().nullable(),
      display_name: z.string().nullable(),
      /** Reason why the line is invalid; null if it is valid. */
      message: z.string().nullable(),
    }),
  ),
});
export type ImportPreview = z.infer<typeof importPreviewSchema>;

/** Results in request order. `problem` is null if the domain was added; the first check of the domain runs in the background. */
export const importResultSchema = z.array(
  z.object({
    problem: problemCodeSchema.nullable(),
    message: z.string().nullable(),
    domain: domainSchema.nullable(),
  }),
);
export type ImportResult = z.infer<typeof importResultSchema>;
