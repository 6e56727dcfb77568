import { MAX_TAGS, NOTES_MAX_LENGTH, TAG_MAX_LENGTH } from '../../../contract/words.ts';
import { TARGET_FIELDS } from '../../../contract/check-words.ts';
import type { ImportEntry, ImportPreview, ImportResult } from '../../../contract/domain-import.ts';
import type { ProblemCode } from '../../../contract/problem.ts';
import { type HostLine, isSkipped, type ParsedLine } from './parsed-import.ts';

/** What will happen to a line. */
export type Fate =
  | { kind: 'new' }
  | { kind: 'exists' }
  /** `line`: number of the line where the host occurred first. */
  | { kind: 'repeated'; line: number }
  | { kind: 'invalid'; message: string }
  /** Would exceed the plan's limit. */
  | { kind: 'beyond' }
  | { kind: 'skipped'; reason: string };

/** What happened to a line that the import tried to add. */
export type Result =
  | { kind: 'added' }
  | { kind: 'failed'; problem: ProblemCode; message: string }
  /** The line was sent, but no response arrived. */
  | { kind: 'unanswered' };

export interface PlannedLine {
  line: number;
  /** The original text. */
  text: string;
  /** The host's name as the list would show it; null if unknown. */
  name: string | null;
  remark: string | null;
  fate: Fate;
  /** What is sent to the server; null if the line has no host. */
  entry: ImportEntry | null;
}

type Answer = ImportPreview['entries'][number];

/** Returns the lines with a host, in order, as sent to the server. */
export function entriesOf(lines: readonly ParsedLine[]): ImportEntry[] {
  return lines.flatMap((line) => (isSkipped(line) ? [] : [entryOf(line)]));
}

// The server truncates long texts too, but a backup with many of them would make the call too large.
const entryOf = ({ host, tags, notes, target }: HostLine): ImportEntry => ({
  host,
  ...target,
  tags: tags.slice(0, MAX_TAGS).map((tag) => tag.slice(0, TAG_MAX_LENGTH)),
  notes: notes.slice(0, NOTES_MAX_LENGTH),
});

/**
 * Returns what the import will do with each line. `answers` are the server's, for `entriesOf(lines)` in order. `room` is the
 * number of domains that the account's plan still allows; null without a limit.
 */
export function planImport(
  lines: readonly ParsedLine[],
  answers: readonly Answer[],
  room: number | null,
): PlannedLine[] {
  const firstLines = new Map<string, number>();
  let left = room ?? Infinity;
  let next = 0;
  const fateOf = (line: number, { outcome, endpoint, message }: Answer): Fate => {
    if (outcome === 'invalid' || endpoint === null) return { kind: 'invalid', message: message ?? '' };
    const first = firstLines.get(endpoint);
    if (first !== undefined) return { kind: 'repeated', line: first };
    firstLines.set(endpoint, line);
    if (outcome === 'exists') return { kind: 'exists' };
    left -= 1;
    return left < 0 ? { kind: 'beyond' } : { kind: 'new' };
  };
  return lines.map((parsed): PlannedLine => {
    const { line } = parsed;
    if (isSkipped(parsed))
      return {
        line,
        text: parsed.text,
        name: null,
        remark: null,
        entry: null,
        fate: { kind: 'skipped', reason: parsed.reason },
      };
    const answer = answers[next] ?? { outcome: 'invalid', endpoint: null, display_name: null, message: null };
    next += 1;
    return {
      line,
      text: parsed.host,
      name: answer.display_name,
      remark: parsed.remark,
      entry: entryOf(parsed),
      fate: fateOf(line, answer),
    };
  });
}

/** Counts the lines per fate, in display order. */
export function countFates(plan: readonly PlannedLine[]): Map<Fate['kind'], number> {
  const counts = new Map<Fate['kind'], number>();
  for (const kind of ['new', 'exists', 'repeated', 'beyond', 'invalid', 'skipped'] as const) {
    const count = plan.filter(({ fate }) => fate.kind === kind).length;
    if (count > 0) counts.set(kind, count);
  }
  return counts;
}

/** Results by the line's index in the plan. */
export type Results = ReadonlyMap<number, Result>;

/** Returns the indices of the lines that were neither added nor refused yet. */
export function remaining(plan: readonly PlannedLine[], results: Results): number[] {
  return plan.flatMap(({ fate }, index) => {
    const result = results.get(index)?.kind;
    return fate.kind === 'new' && (result === undefined || result === 'unanswered') ? [index] : [];
  });
}

/**
 * Returns the results with those of one more call. If an earlier call got no response and the host now exists, that call
 * added it, so it counts as added.
 */
export function withAnswers(results: Results, indices: readonly number[], answers: ImportResult): Results {
  const next = new Map(results);
  indices.forEach((index, place) => {
    const answer = answers[place];
    if (!answer) return;
    const { problem, message } = answer;
    const isKnown = problem === 'domain_exists' && results.get(index)?.kind === 'unanswered';
    next.set(
      index,
      problem === null || isKnown
        ? { kind: 'added' }
        : { kind: 'failed', problem, message: message ?? 'Not added' },
    );
  });
  return next;
}

export function withUnanswered(results: Results, indices: readonly number[]): Results {
  const next = new Map(results);
  for (const index of indices) next.set(index, { kind: 'unanswered' });
  return next;
}

/** What a line shows: its result or, before it has one, its fate. */
export interface Verdict {
  tone: 'good' | 'done' | 'quiet' | 'warning' | 'critical';
  text: string;
  /** The reason, below the host. */
  detail: string | null;
}

export function verdictOf({ fate, remark }: PlannedLine, result: Result | undefined): Verdict {
  if (result?.kind === 'added') return { tone: 'done', text: 'Added', detail: remark };
  if (result?.kind === 'failed') return { tone: 'critical', text: 'Not added', detail: result.message };
  if (result?.kind === 'unanswered') return { tone: 'warning', text: 'No answer', detail: null };
  return { ...FATE_WORDS[fate.kind], ...wordsOf(fate, remark) };
}

const FATE_WORDS: Record<Fate['kind'], Pick<Verdict, 'tone' | 'text'>> = {
  new: { tone: 'good', text: 'Will be added' },
  exists: { tone: 'quiet', text: 'Already tracked' },
  repeated: { tone: 'quiet', text: 'Duplicate' },
  beyond: { tone: 'warning', text: 'Over the plan’s limit' },
  invalid: { tone: 'warning', text: 'Not a valid host' },
  skipped: { tone: 'quiet', text: 'Skipped' },
};

function wordsOf(fate: Fate, remark: string | null): { text?: string; detail: string | null } {
  if (fate.kind === 'repeated') return { text: `Duplicate of line ${fate.line}`, detail: null };
  if (fate.kind === 'invalid') return { detail: fate.message };
  if (fate.kind === 'skipped') return { detail: fate.reason };
  return { detail: fate.kind === 'new' ? remark : null };
}

/** Tells whether the user may want to act on the line. */
export function isProblem({ fate }: PlannedLine, result: Result | undefined): boolean {
  if (result) return result.kind !== 'added';
  return fate.kind === 'invalid' || fate.kind === 'beyond' || fate.kind === 'skipped';
}

/**
 * Returns the lines that were not added, ready to paste again: 'shop.example  # Not a valid host. …'; as CSV if any of them has a
 * target, which a plain line cannot have.
 */
export function notAdded(plan: readonly PlannedLine[], results: Results): string {
  const left = plan.flatMap((planned, index) => {
    const result = results.get(index);
    const { kind } = planned.fate;
    if (result?.kind === 'added' || kind === 'exists' || kind === 'repeated') return [];
    const isWaiting = result === undefined && kind === 'new';
    const { text, detail } = isWaiting ? { text: 'Not sent', detail: null } : verdictOf(planned, result);
    const reason = [text, detail].filter(Boolean).join('. ').replaceAll(/\s+/g, ' ');
    return [{ text: planned.text, entry: planned.entry, reason }];
  });
  if (left.some(({ entry }) => entry !== null && hasTarget(entry))) return csvOf(left);
  return left
    .map(({ text, entry, reason }) => (entry ? `${text}  # ${reason}` : `# ${text}: ${reason}`))
    .join('\n');
}

/** Returns whether the line has settings for how its host is checked. */
export const hasTarget = (entry: ImportEntry): boolean => TARGET_FIELDS.some((field) => entry[field]);

/** Returns CSV that the import can read back. The reason stands in a comment above each row. */
function csvOf(left: readonly { text: string; entry: ImportEntry | null; reason: string }[]): string {
  const header = ['host', ...TARGET_FIELDS, 'tags', 'notes'].join(',');
  const rows = left.map(({ text, entry, reason }) => {
    if (!entry) return commentOf(`${text}: ${reason}`);
    const target = TARGET_FIELDS.map((field) => entry[field] ?? '');
    const cells = [entry.host, ...target, (entry.tags ?? []).join('; '), entry.notes ?? ''];
    return `${commentOf(reason)}\n${cells.map(cellOf).join(',')}`;
  });
  return [header, ...rows].join('\n');
}

const cellOf = (text: string): string =>
  /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** Quotes the comment as one cell. A quotation mark after a comma in it would otherwise begin a cell that spans lines. */
function commentOf(text: string): string {
  const comment = `# ${text.replaceAll(/\s+/g, ' ')}`;
  return comment.includes('"') ? cellOf(comment) : comment;
}
