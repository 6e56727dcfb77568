import type { BulkRequest, BulkResult } from '../../../../contract/domain.ts';
import type { ProblemCode } from '../../../../contract/problem.ts';
import { inWordsCapitalised } from '../../../lib/number-words.ts';

/** What is to be done with every one of the selected domains; the ids are given batch by batch. */
export type BulkAction = BulkRequest extends infer Each
  ? Each extends unknown
    ? Omit<Each, 'ids'>
    : never
  : never;

export interface BulkFailure {
  id: string;
  /** Null where the page does not know it. */
  name: string | null;
  problem: ProblemCode;
  message: string;
}

export interface BulkOutcome {
  done: number;
  failures: readonly BulkFailure[];
  /** How many were not answered, because of `error` or because the run was stopped (null). */
  unanswered: number;
  error: string | null;
}

const domains = (count: number) => (count === 1 ? 'domain' : 'domains');

interface Words {
  /** While it runs. */
  doing: string;
  done: (count: number) => string;
  /** After 'could not be'. */
  participle: string;
}

const WORDS: Record<BulkAction['action'], Words> = {
  check: {
    doing: 'Asking for checks',
    done: (count) => (count === 1 ? 'One check started' : `${inWordsCapitalised(count)} checks started`),
    participle: 'checked',
  },
  pause: {
    doing: 'Pausing',
    done: (count) => `${inWordsCapitalised(count)} ${domains(count)} paused`,
    participle: 'paused',
  },
  resume: {
    doing: 'Resuming',
    done: (count) => `${inWordsCapitalised(count)} ${domains(count)} resumed`,
    participle: 'resumed',
  },
  frequency: { doing: 'Changing', done: () => 'Check frequency updated!', participle: 'changed' },
  tag: {
    doing: 'Changing tags of',
    done: (count) => `Tags of ${count === 1 ? 'one domain' : `${count} domains`} changed`,
    participle: 'tagged',
  },
  remove: {
    doing: 'Removing',
    done: (count) =>
      count === 1
        ? 'Domain deleted successfully'
        : `${inWordsCapitalised(count)} domains deleted successfully`,
    participle: 'deleted',
  },
};

/** 'Pausing 200 of 3,000' */
export function progressLine(action: BulkAction['action'], answered: number, total: number): string {
  return `${WORDS[action].doing} ${grouped(answered)} of ${grouped(total)}`;
}

/** '12 domains paused', or with what did not work: '10 domains paused, 2 could not be'. */
export function outcomeLine(
  action: BulkAction['action'],
  { done, failures, unanswered }: BulkOutcome,
): string {
  const words = WORDS[action];
  const left = failures.length + unanswered;
  if (left === 0) return words.done(done);
  if (done === 0) return `${inWordsCapitalised(left)} ${domains(left)} could not be ${words.participle}`;
  // The specified sentence says that all is well.
  const start =
    action === 'frequency' ? `${inWordsCapitalised(done)} ${domains(done)} changed` : words.done(done);
  return `${start}, ${grouped(left)} could not be`;
}

/** What became of those that were answered. */
export function failuresOf(results: BulkResult, nameOf: (id: string) => string | null): BulkFailure[] {
  return results.flatMap(({ id, problem, message, domain }) =>
    problem === null
      ? []
      : [{ id, name: domain?.display_name ?? nameOf(id), problem, message: message ?? 'It did not work' }],
  );
}

/** 12345 → '12,345' */
export function grouped(count: number): string {
  return count.toLocaleString('en-GB');
}
