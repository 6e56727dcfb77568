/** One line of the table that a part ends with. */
export interface Figure {
  what: string;
  value: number;
  unit: string;
  /** Over it (or, of a `least`, under it) the bench fails; without one it is only told. */
  most?: number;
  least?: number;
}

export const isMissed = ({ value, most, least }: Figure): boolean =>
  !Number.isFinite(value) || (most !== undefined && value > most) || (least !== undefined && value < least);

/** The figures of one part, as a table of text; a missed target says so. */
export function tableOf(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const { what, value, unit, most, least } = figure;
    const target =
      most !== undefined
        ? `≤ ${rounded(most)} ${unit}`
        : least !== undefined
          ? `≥ ${rounded(least)} ${unit}`
          : '';
    return [what, `${rounded(value)} ${unit}`, target, isMissed(figure) ? 'MISSED' : ''];
  });
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map(([what = '', value = '', target = '', missed = '']) =>
      `  ${what.padEnd(widths[0] ?? 0)}  ${value.padStart(widths[1] ?? 0)}  ${target.padStart(widths[2] ?? 0)}  ${missed}`.trimEnd(),
    )
    .join('\n');
}

const rounded = (value: number): string => {
  if (Number.isInteger(value) || Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(Math.abs(value) < 10 ? 2 : 1);
};

/** 0 < share < 1: `percentile(values, 0.99)` is what 99 of 100 do not exceed. NaN of nothing. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** Runs `work` that often, one after the other; how long each took, in ms. */
export async function timed(rounds: number, work: (round: number) => Promise<unknown>): Promise<number[]> {
  const took: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const from = performance.now();
    await work(round);
    took.push(performance.now() - from);
  }
  return took;
}
