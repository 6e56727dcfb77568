import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { STATE_NAMES } from '../../../contract/state/state-words.ts';
import { SampleCard } from './sample-card.tsx';
import { EXPIRED_SAMPLE, EXPIRING_SAMPLE, SAMPLES } from './samples.ts';

const NOW = Date.UTC(2026, 10, 20, 14, 30);
const cardOf = (sample: (typeof SAMPLES)[number]) =>
  renderToStaticMarkup(<SampleCard sample={sample} now={NOW} />);

it('a sample that expires within two weeks has the line and the colour of an overdue renewal, as on the dashboard', () => {
  expect(cardOf(EXPIRING_SAMPLE)).toContain(STATE_NAMES.overdue);
  expect(cardOf(EXPIRING_SAMPLE)).toContain('border-critical-mark');
  expect(cardOf(EXPIRED_SAMPLE)).not.toContain(STATE_NAMES.overdue);
  const overdue = SAMPLES.filter((sample) => cardOf(sample).includes(STATE_NAMES.overdue));
  expect(overdue.map(({ days }) => days)).toEqual([2, 6, 11]);
});
