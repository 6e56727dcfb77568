import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPkitsCases } from '../scripts/vectors-pkits.ts';
import { readVectorCases } from '../scripts/vectors-cases.ts';
import { runVectors } from '../scripts/vectors-run.ts';

/** A folder beside the project, for people who check it. */
const folder = resolve(import.meta.dirname, '../../shared/vectors');
const files = ['limbo.json', 'bettertls-path.json'].filter((name) => existsSync(resolve(folder, name)));
/** NIST PKITS, if it is in the folder. */
const suites = ['pkits'].filter((name) => existsSync(resolve(folder, name)));
/** A time at which the BetterTLS certificates are valid. The x509-limbo cases have times of their own. */
const now = Date.UTC(2026, 11, 1);

if (files.length === 0) console.info(`vectors: skipped, no files in ${folder}`);

describe.skipIf(files.length === 0)('Shared test vectors', () => {
  it.each(files)(
    'the vectors in %s: no invalid chain is accepted, and at least 98 % of verdicts agree',
    (name) => {
      const cases = readVectorCases(readFileSync(resolve(folder, name), 'utf8'));
      const tally = runVectors(cases, { now, profile: null });
      expect(tally.disagreements.filter((line) => line.includes('ours accept'))).toEqual([]);
      expect(tally.falseAccept).toBe(0);
      expect(tally.agree / cases.length).toBeGreaterThanOrEqual(0.98);
    },
  );

  // One of the six other cases is 4.14.22: it expects that an indirect CRL counts, which Chromium refuses.
  it.each(suites)('the suite %s: no invalid case is accepted, and at least 208 of 214 agree', (name) => {
    const tally = runVectors(readPkitsCases(resolve(folder, name)), { now, profile: null });
    expect(tally.falseAccept).toBe(0);
    expect(tally.agree).toBeGreaterThanOrEqual(208);
  });
});
