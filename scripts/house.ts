import { answerHelp } from './help-option.ts';
import { CA_IDENTITIES_REVIEW } from '../server/core/forecast/ca-identifiers.ts';
import { overdueReviews } from '../server/core/rules/dated-rule.ts';
import { DATED_RULES } from '../server/core/rules/dated-rules.ts';
import { measureHouse } from './house/measure.ts';

answerHelp(`Measures the layout of the code and marks figures above their limit. Exits with 1 if any figure is above. Warns
about rules with dates that nobody has compared with their sources for 180 days.

  npm run house`);

const { figures, rooms, longest, median } = measureHouse();
const lines = figures.map(({ name, value, limit }) => {
  const mark = value > limit ? 'above' : 'within';
  return `${String(value).padStart(7)}  ${mark} ${String(limit).padStart(4)}  ${name}`;
});
const overdue = overdueReviews(Date.now(), [...DATED_RULES, CA_IDENTITIES_REVIEW]);
const reviews = overdue.map(
  ({ id, reviewedOn, source }) => `warning: ${id} was last reviewed on ${reviewedOn}: ${source}`,
);
const sizes = rooms.map(({ room, codeLines }) => `${String(codeLines).padStart(7)}  ${room}`);
process.stdout.write(
  [
    ...lines,
    '',
    'Lines of code, without blank lines and comments:',
    ...sizes,
    '',
    `${String(median).padStart(7)}  median per file`,
    `${String(longest.codeLines).padStart(7)}  longest file, ${longest.path}`,
    ...reviews,
    '',
  ].join('\n'),
);
process.exitCode = figures.some(({ value, limit }) => value > limit) ? 1 : 0;
