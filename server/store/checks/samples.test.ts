import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packSamples, parseSamples, type Sample } from './samples.ts';

const sample: fc.Arbitrary<Sample> = fc.record({
  at: fc.integer({ min: 0, max: 4_000_000_000_000 }),
  state: fc.constantFrom('up', 'down', 'unknown'),
  responseMs: fc.option(fc.integer({ min: 0, max: 120_000 })),
  message: fc.option(fc.constantFrom('It is down.', 'UPPER, with 3 commas,,', 'x')),
});

describe('packed checks of a monitor', () => {
  it('are unpacked unchanged, even in disorder after a clock was set back', () => {
    fc.assert(
      fc.property(fc.array(sample, { maxLength: 90 }), (samples) => {
        expect(parseSamples(packSamples(samples))).toEqual(samples);
      }),
    );
  });

  it('keep the last 90 checks in less than 900 bytes', () => {
    const samples = Array.from({ length: 200 }, (_, index): Sample => {
      const at = Date.UTC(2026, 0, 15) + index * 900_000 + ((index * 7919) % 60_000);
      return { at, state: 'up', responseMs: 40 + (index % 60), message: null };
    });
    const packed = packSamples(samples);
    expect(parseSamples(packed)).toEqual(samples.slice(-90));
    expect(packed.length).toBeLessThan(900);
  });

  it('are empty before the first check', () => {
    expect(parseSamples(null)).toEqual([]);
    expect(parseSamples(packSamples([]))).toEqual([]);
  });
});
