import { describe, expect, it } from 'vitest';
import { placePins } from './horizon-layout.ts';

const scale = { todayX: 100, dayWidth: 10, width: 1000, rows: 3, characterWidth: 7 };
const host = (days: number, hostname = 'host.example') => ({ hostname, days });

describe('the pins of the horizon', () => {
  it('share a row where their names do not meet', () => {
    expect(placePins([host(0), host(40)], scale).map(({ x, row }) => [x, row])).toEqual([
      [100, 0],
      [500, 0],
    ]);
  });

  it('step down below every name that still covers their place', () => {
    expect(placePins([host(0), host(5), host(9), host(14)], scale).map(({ row }) => row)).toEqual([
      0, 1, 2, 2,
    ]);
  });

  it('are placed by date, in whatever order they come', () => {
    expect(placePins([host(40, 'b'), host(0, 'a')], scale).map(({ hostname }) => hostname)).toEqual([
      'a',
      'b',
    ]);
  });

  it('lose their name where no row is left or no room on the right', () => {
    const placed = placePins([host(0), host(1), host(2), host(3), host(85)], scale);
    expect(placed.map(({ named }) => named)).toEqual([true, true, true, false, false]);
  });

  it('are left out beyond the edge', () => {
    expect(placePins([host(91)], scale)).toEqual([]);
  });
});
