import { describe, expect, it } from 'vitest';
import type { TransparencyVerdict } from '../verdict.ts';
import { clientViews, policyMessage, transparencyNote, transparencyText } from './transparency-words.ts';

const AT = Date.UTC(2026, 10, 1, 12, 30);
const timestamp: TransparencyVerdict['timestamps'][number] = {
  logId: 'AAAA',
  at: AT,
  delivery: 'certificate',
  log: { name: 'Argon|1', operator: 'Google' },
  chromium: 'counts',
  firefox: 'retired_log',
  apple: null,
};
const policy: TransparencyVerdict['policies'][number] = {
  client: 'chromium',
  outcome: 'met',
  why: null,
  counted: 3,
  needed: 2,
};
const transparency = { isRequired: true, timestamps: [timestamp], unreadable: 0, policies: [policy] };

describe('the words for a timestamp', () => {
  it('say for which browsers it counts, and else why not', () => {
    expect(clientViews(timestamp, transparency)).toEqual([
      { client: 'chromium', name: 'Chrome', counts: true, why: null },
      { client: 'firefox', name: 'Firefox', counts: false, why: 'the log is retired' },
      {
        client: 'apple',
        name: 'Safari',
        counts: null,
        why: 'not known: this server has no current list of logs',
      },
    ]);
  });

  it('are missing below a private root', () => {
    expect(clientViews(timestamp, { isRequired: false })).toEqual([]);
  });

  it('repeat a code of a newer version', () => {
    const odd = { ...timestamp, chromium: 'eaten_by_a_dog' as never };
    expect(clientViews(odd, transparency)[0]).toMatchObject({ counts: false, why: 'eaten_by_a_dog' });
  });
});

describe('the words for a policy', () => {
  const message = (changes: Partial<typeof policy>) => policyMessage({ ...policy, ...changes });

  it('say that the timestamps are enough', () => {
    expect(message({})).toBe('Chrome: enough (3 count, 2 needed).');
  });

  it('say what is missing', () => {
    const not = { outcome: 'not_met' as const, counted: 1 };
    expect(message({ ...not, why: 'too_few' })).toBe(
      'Chrome needs 2 timestamps from different logs in the certificate, and 1 counts.',
    );
    expect(message({ ...not, why: 'one_operator' })).toMatch(/two operators/);
    expect(message({ ...not, why: 'only_retired_logs' })).toMatch(/not retired/);
    expect(message({ ...not, client: 'apple', why: 'only_static_logs' })).toMatch(/^Safari needs .*RFC 6962/);
  });

  it('say that we may not know everything', () => {
    expect(message({ outcome: 'not_known', counted: 1, why: 'too_few' })).toMatch(
      /^Chrome needs .* We do not know/,
    );
  });
});

it('a note says why there are no policies', () => {
  expect(transparencyNote(transparency)).toBeNull();
  expect(transparencyNote({ ...transparency, policies: [] })).toMatch(/no current list of logs/);
  expect(transparencyNote({ ...transparency, isRequired: false, policies: [] })).toMatch(
    /public authorities/,
  );
});

it('the Markdown has a row for each timestamp, and escapes the log’s name', () => {
  const text = transparencyText({ ...transparency, unreadable: 2 }).join('\n\n');
  expect(text).toContain('## Certificate Transparency');
  expect(text).toContain('Argon\\|1');
  expect(text).toContain('2026-11-01T12:30:00.000Z');
  expect(text).toContain('Chrome: counts; Firefox: the log is retired; Safari: not known');
  expect(text).toContain('2 more could not be read.');
  expect(transparencyText({ ...transparency, timestamps: [] })).toContain('No timestamps.');
});
