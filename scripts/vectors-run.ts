import type { Profile } from '../server/pki/profile/profile.ts';
import type { VectorCase } from './vectors-cases.ts';
import { SKIP_LIST } from './vectors-skip-list.ts';

export interface Tally {
  agree: number;
  falseAccept: number;
  falseReject: number;
  skipped: number;
  /** One line per disagreement: case id, expected answer, our answer, our reason. */
  readonly disagreements: string[];
}

/** Judges every case that is not skipped, and counts agreements and disagreements. */
export function runVectors(
  cases: readonly VectorCase[],
  options: { readonly now: number; readonly profile: Profile | null },
): Tally {
  const tally: Tally = { agree: 0, falseAccept: 0, falseReject: 0, skipped: 0, disagreements: [] };
  for (const one of cases) {
    if (one.skipped || isOnSkipList(one)) {
      tally.skipped++;
      continue;
    }
    const { answer, reason } = one.judge(options);
    if (answer === one.expected) {
      tally.agree++;
      continue;
    }
    if (answer === 'accept') tally.falseAccept++;
    else tally.falseReject++;
    tally.disagreements.push(`${one.id}: expected ${one.expected}, got ${answer} (${reason})`);
  }
  return tally;
}

function isOnSkipList({ id, features }: VectorCase): boolean {
  return SKIP_LIST.some((skip) => {
    if ('feature' in skip) return features.includes(skip.feature);
    return skip.id.endsWith('::') ? id.startsWith(skip.id) : id === skip.id;
  });
}

/** Formats the counts as one line. */
export function formatTally(tally: Tally): string {
  const { agree, falseAccept, falseReject, skipped } = tally;
  return `${agree} agree, ${falseAccept} false accept, ${falseReject} false reject, ${skipped} skipped`;
}
