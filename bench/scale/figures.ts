/** One row of a result table. */
export interface Figure {
  what: string;
  value: number;
  unit: string;
  /** Maximum of the value; the bench fails above it. A value without `max` and `min` is only printed. */
  max?: number;
  /** Minimum of the value; the bench fails below it. */
  min?: number;
}

export const isMissed = ({ value, max, min }: Figure): boolean =>
  !Number.isFinite(value) || (max !== undefined && value > max) || (min !== undefined && value < min);

/** Returns the figures as a text table with PASS or MISSED beside each target. */
export function tableOf(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const { what, value, unit, max, min } = figure;
    const target =
      max !== undefined ? `≤ ${rounded(max)} ${unit}` : min !== undefined ? `≥ ${rounded(min)} ${unit}` : '';
    const result = isMissed(figure) ? 'MISSED' : target === '' ? '' : 'PASS';
    return [what, `${rounded(value)} ${unit}`, target, result];
  });
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map(([what = '', value = '', target = '', result = '']) =>
      `  ${what.padEnd(widths[0] ?? 0)}  ${value.padStart(widths[1] ?? 0)}  ${target.padStart(widths[2] ?? 0)}  ${result}`.trimEnd(),
    )
    .join('\n');
}

const rounded = (value: number): string => {
  if (Number.isInteger(value) || Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(Math.abs(value) < 10 ? 2 : 1);
};

/** Returns the percentile by nearest rank, e.g. p99 for `share` 0.99 (0 < share < 1). NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** Runs `work` `rounds` times in sequence. Returns the durations in ms. */
export async function measureRounds(
  rounds: number,
  work: (round: number) => Promise<unknown>,
): Promise<number[]> {
  const took: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const from = performance.now();
    await work(round);
    took.push(performance.now() - from);
  }
  return took;
}
