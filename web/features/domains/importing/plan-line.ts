import { inWordsCapitalised } from '../../../lib/number-words.ts';
import { countFates } from './import-plan.ts';
import type { Fate, PlannedLine, Results } from './import-plan.ts';

const WORDS: Record<Fate['kind'], string> = {
  new: 'will be added',
  exists: 'already tracked',
  repeated: 'repeated',
  beyond: "beyond the plan's limit",
  invalid: 'not valid',
  skipped: 'skipped',
};

/** 'Nine will be added · 1 already tracked · 2 not valid' */
export function planLine(plan: readonly PlannedLine[]): string {
  const counts = [...countFates(plan)];
  const parts = counts.map(([kind, count], index) => {
    const number = index === 0 ? inWordsCapitalised(count) : count.toLocaleString('en-GB');
    return `${number} ${WORDS[kind]}`;
  });
  return parts.join(' · ');
}

/** '100 of 900 added · 2 refused' */
export function resultLine(plan: readonly PlannedLine[], results: Results): string {
  const wanted = plan.filter(({ fate }) => fate.kind === 'new').length;
  const kinds = [...results.values()].map(({ kind }) => kind);
  const added = kinds.filter((kind) => kind === 'added').length;
  const refused = kinds.filter((kind) => kind === 'failed').length;
  const line = `${added.toLocaleString('en-GB')} of ${wanted.toLocaleString('en-GB')} added`;
  return refused === 0 ? line : `${line} · ${refused.toLocaleString('en-GB')} refused`;
}
