import { describe, expect, it } from 'vitest';
import { type PlaywrightReport, readJourneyReport } from './journey-report.ts';

const passed = { errors: [] };
const failed = (message: string) => ({ errors: [{ message }, { message: 'a later error' }] });

const report: PlaywrightReport = {
  stats: { expected: 1, skipped: 1 },
  suites: [
    {
      file: 'list.journey.ts',
      specs: [
        { title: 'sorts', tests: [{ status: 'expected', results: [passed] }] },
        { title: 'waits', tests: [{ status: 'skipped', results: [] }] },
      ],
      suites: [
        {
          file: 'list.journey.ts',
          specs: [
            {
              title: 'filters',
              tests: [
                {
                  status: 'flaky',
                  results: [failed('Error: \u001B[31mno row\u001B[39m\n\n  1\n  2\n  3\n  4\n  5'), passed],
                },
              ],
            },
            {
              title: 'pages',
              tests: [{ status: 'unexpected', results: [failed('Timeout'), failed('Timeout later')] }],
            },
          ],
        },
      ],
    },
  ],
};

describe('readJourneyReport', () => {
  it('counts a flaky test as passed and lists as failures only tests whose retry failed too', () => {
    expect(readJourneyReport(report)).toMatchObject({
      passed: 2,
      skipped: 1,
      flaky: 1,
      failures: ['list.journey.ts › pages'],
    });
  });

  it('returns for each retried test the first lines of its first error', () => {
    expect(readJourneyReport(report).retries).toEqual([
      {
        title: 'list.journey.ts › filters',
        outcome: 'passed',
        firstError: '    Error: no row\n\n      1\n      2\n      3',
      },
      { title: 'list.journey.ts › pages', outcome: 'failed again', firstError: '    Timeout' },
    ]);
  });

  it('returns no retry for a test that failed in its only attempt', () => {
    const specs = [
      { title: 'pages', tests: [{ status: 'unexpected' as const, results: [failed('Timeout')] }] },
    ];
    const once = {
      stats: { expected: 0, skipped: 0 },
      suites: [{ file: 'list.journey.ts', specs }],
    };
    expect(readJourneyReport(once)).toMatchObject({ failures: ['list.journey.ts › pages'], retries: [] });
  });
});
