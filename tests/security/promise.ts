import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordShown } from '../spec/spec.ts';

const ROOT = join(import.meta.dirname, '../..');
/** A row of SECURITY.md: "- **Threat** (`id`): defence". */
const ROW = /^- \*\*(.+?)\*\* \(`([a-z-]+)`\): /gm;
/** A requirement of docs/security-checklist.md that we claim to meet: id, requirement and state in a table. */
const CLAIM = /^\| *(\d+\.\d+\.\d+) *\| *(.+?) *\| *(?:met|partly) *\|/gm;

/** Reads the promises: the threats of SECURITY.md and the requirements of the checklist that are met or partly met, by id. */
export function readPromises(): Map<string, string> {
  const rows = [...readFileSync(join(ROOT, 'SECURITY.md'), 'utf8').matchAll(ROW)];
  const claims = [...readFileSync(join(ROOT, 'docs/security-checklist.md'), 'utf8').matchAll(CLAIM)];
  return new Map([
    ...rows.map(([, threat = '', id = '']) => [id, threat] as const),
    ...claims.map(([, id = '', requirement = '']) => [id, requirement] as const),
  ]);
}

const promises = readPromises();

/**
 * Marks a promise about security as verified by the assertions before this call. `npm test` fails if no executed call marks it.
 * @throws Error if neither SECURITY.md nor docs/security-checklist.md makes the promise
 */
export function promise(id: string): void {
  if (!promises.has(id))
    throw new Error(`Neither SECURITY.md nor docs/security-checklist.md has the promise ${id}`);
  recordShown(id);
}
