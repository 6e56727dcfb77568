import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { StepsTable } from './steps-table.tsx';

/** Returns the texts of each row's cells. */
const rows = (steps: readonly string[] | null) =>
  renderToStaticMarkup(<StepsTable steps={steps} />)
    .split('<tr')
    .slice(1)
    .map((row) => [...row.matchAll(/<t[hd][^>]*>([^<]*)/g)].map(([, text]) => text));

it('the table of steps says how much of a lifetime is left at each step, in hours below two days', () => {
  expect(rows(null)).toEqual([
    ['Valid for', '200 days', '90 days', '47 days', '6 days'],
    ['Renewal overdue', '30 d', '22 d', '11 d', '36 h'],
    ['14 days before', '14 d', '14 d', '9 d', '28 h'],
    ['7 days before', '7 d', '7 d', '4 d', '14 h'],
    ['3 days before', '3 d', '3 d', '2 d', '7 h'],
    ['1 day before', '24 h', '24 h', '22 h', '2 h'],
  ]);
  expect(rows(['7d', '30d', '20%']).slice(1)).toEqual([
    ['30 days before', '30 d', '30 d', '23 d', '3 d'],
    ['7 days before', '7 d', '7 d', '7 d', '3 d'],
    ['20% of its lifetime left', '40 d', '18 d', '9 d', '28 h'],
  ]);
});
