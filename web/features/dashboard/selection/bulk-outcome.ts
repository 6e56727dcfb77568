import type { BulkRequest, BulkResult } from '../../../../contract/domain.ts';
import type { ProblemCode } from '../../../../contract/problem.ts';
import { counted, grouped } from '../../../lib/format.ts';

/** An action on all selected domains, without the ids, which are added per batch. */
export type BulkAction = BulkRequest extends infer Each
  ? Each extends unknown
    ? Omit<Each, 'ids'>
    : never
  : never;

export interface BulkFailure {
  id: string;
  /** Name of the domain; null if the page has not loaded it. */
  name: string | null;
  problem: ProblemCode;
  message: string;
}

export interface BulkOutcome {
  done: number;
  failures: readonly BulkFailure[];
  /** How many domains got no response, because of `error` or, if that is null, because the user stopped the run. */
  unanswered: number;
  error: string | null;
}

interface Words {
  /** Word for the running action: 'Pausing'. */
  doing: string;
  done: (count: number) => string;
  /** Completes 'could not be …'. */
  participle: string;
}

const WORDS: Record<BulkAction['action'], Words> = {
  check: {
    doing: 'Requesting checks',
    done: (count) => `${counted(count, 'check')} started`,
    participle: 'checked',
  },
  pause: {
    doing: 'Pausing',
    done: (count) => `${counted(count, 'domain')} paused`,
    participle: 'paused',
  },
  resume: {
    doing: 'Resuming',
    done: (count) => `${counted(count, 'domain')} resumed`,
    participle: 'resumed',
  },
  frequency: {
    doing: 'Changing the check frequency',
    done: () => 'Check frequency updated!',
    participle: 'changed',
  },
  tag: {
    doing: 'Changing tags',
    done: (count) => `Tags of ${counted(count, 'domain')} changed`,
    participle: 'tagged',
  },
  remove: {
    doing: 'Deleting',
    done: (count) =>
      count === 1 ? 'Domain deleted successfully' : `${grouped(count)} domains deleted successfully`,
    participle: 'deleted',
  },
};

/** Returns 'Pausing: 200 of 3,000 domains'. */
export function progressLine(action: BulkAction['action'], answered: number, total: number): string {
  return `${WORDS[action].doing}: ${grouped(answered)} of ${counted(total, 'domain')}`;
}

/** Returns '12 domains paused'; with failures '10 domains paused, 2 failed'. */
export function outcomeLine(
  action: BulkAction['action'],
  { done, failures, unanswered }: BulkOutcome,
): string {
  const words = WORDS[action];
  const left = failures.length + unanswered;
  if (left === 0) return words.done(done);
  if (done === 0) return `${counted(left, 'domain')} could not be ${words.participle}`;
  // The specified text for this action says that everything succeeded, so it is not used if something failed.
  const start = action === 'frequency' ? `${counted(done, 'domain')} changed` : words.done(done);
  return `${start}, ${grouped(left)} failed`;
}

/** Returns the failures among the answers. */
export function failuresOf(results: BulkResult, nameOf: (id: string) => string | null): BulkFailure[] {
  return results.flatMap(({ id, problem, message, domain }) =>
    problem === null
      ? []
      : [{ id, name: domain?.display_name ?? nameOf(id), problem, message: message ?? 'Failed' }],
  );
}
