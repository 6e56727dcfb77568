import { describe, expect, it } from 'vitest';
import type { TransparencyVerdict } from '../verdict.ts';
import {
  clientViews,
  knownTransparency,
  policyMessage,
  transparencyNote,
  transparencyText,
} from './transparency-words.ts';

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
  asOf: Date.UTC(2026, 9, 30, 23),
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

  it('name no browser if the authority is private', () => {
    expect(clientViews(timestamp, { isRequired: false })).toEqual([]);
  });

  it.each(['not_verified', 'unknown_state', 'unverified_staple', 'distrusted_root'] as const)(
    'say that it is not known whether it counts, with the reason, if its status is %s',
    (status) => {
      const [view] = clientViews({ ...timestamp, chromium: status }, transparency);
      expect(view).toMatchObject({ counts: null, why: expect.stringMatching(/^not known, because /) });
    },
  );

  it('name no browser if there is no valid path', () => {
    expect(clientViews(timestamp, { isRequired: null })).toEqual([]);
  });

  it('say “not known” and the code if only a newer version knows the status', () => {
    const odd = { ...timestamp, chromium: 'eaten_by_a_dog' as never };
    expect(clientViews(odd, transparency)[0]).toMatchObject({
      counts: null,
      why: 'not known: eaten_by_a_dog',
    });
  });
});

describe('the words for a policy', () => {
  const none = { timestamps: [], unreadable: 0 };
  const message = (changes: Partial<typeof policy>, seen: Parameters<typeof policyMessage>[1] = none) =>
    policyMessage({ ...policy, ...changes }, seen);

  it('say that the timestamps are enough', () => {
    expect(message({})).toBe('Chrome: enough (3 count, 2 needed).');
  });

  it('give no number if those in the OCSP response are enough', () => {
    expect(message({ client: 'firefox', counted: 0 })).toBe(
      'Firefox: enough, because those in the OCSP response count.',
    );
  });

  it('say what is missing', () => {
    const not = { outcome: 'not_met' as const, counted: 1 };
    expect(message({ ...not, why: 'too_few' })).toBe(
      'Chrome needs 2 timestamps from different logs in the certificate, and 1 counts.',
    );
    expect(message({ ...not, why: 'one_operator' })).toMatch(/two operators/);
    expect(message({ ...not, why: 'only_retired_logs' })).toMatch(/not retired/);
    expect(message({ ...not, client: 'apple', why: 'only_static_logs' })).toMatch(/^Safari needs .*RFC 6962/);
    expect(message({ ...not, why: 'eaten_by_a_dog' as never })).toBe('Chrome: not enough.');
  });

  const unknown = { outcome: 'not_known', counted: 1, why: 'too_few' } as const;

  it('say that there may be timestamps in the TLS handshake', () => {
    expect(message(unknown, { timestamps: [timestamp], unreadable: 0 })).toBe(
      'Chrome needs 2 timestamps from different logs in the certificate, and 1 counts. We do not know whether it refuses the certificate, because we do not read timestamps in the TLS handshake.',
    );
  });

  it('say each reason for doubt, and no number', () => {
    const timestamps = (['not_verified', 'unknown_state', 'not_verified'] as const).map((chromium) => ({
      ...timestamp,
      chromium,
    }));
    expect(message(unknown, { timestamps, unreadable: 1 })).toBe(
      'Chrome: not known whether enough, because we could not verify every signature, we do not know whether it accepts every log today, we did not read every timestamp and we do not read timestamps in the TLS handshake.',
    );
    expect(message({ ...unknown, client: 'firefox' }, { timestamps, unreadable: 0 })).toMatch(
      /^Firefox needs 2/,
    );
  });
});

it('the note says how old the lists of logs are, or why there are no policies', () => {
  const note = (changes: Partial<TransparencyVerdict>) => transparencyNote({ ...transparency, ...changes });
  const apple = { ...policy, client: 'apple' as const, asOf: AT };
  expect(note({ policies: [policy, { ...policy, client: 'firefox' }, apple] })).toBe(
    'Judged by the lists of logs of 2026-10-30 for Chrome and Firefox, and of 2026-11-01 for Safari.',
  );
  const { asOf: _, ...older } = policy;
  expect(note({ policies: [older] })).toBeNull();
  expect(note({ policies: [] })).toMatch(/no current list of logs/);
  expect(note({ isRequired: null, policies: [] })).toMatch(/no valid path/);
  expect(note({ isRequired: false, policies: [] })).toMatch(/public authorities/);
});

it.each([
  ['off', 'no list of logs is in use here.'],
  ['not_fetched', 'this server has not fetched the list of logs yet. The next check may tell.'],
  ['failed', 'this server could not fetch the list of logs.'],
  ['too_old', 'the list of logs is older than 70 days.'],
  ['eaten_by_a_dog' as 'off', 'this server has no current list of logs.'],
] as const)('the note says why there is no list of logs (%s)', (why, reason) => {
  const missing = (['chromium', 'firefox', 'apple'] as const).map((client) => ({ client, why }));
  expect(transparencyNote({ ...transparency, policies: [], missing })).toBe(
    `Not known for Chrome, Firefox and Safari: ${reason}`,
  );
  expect(transparencyNote({ ...transparency, missing: missing.slice(2) })).toBe(
    `Judged by the lists of logs of 2026-10-30 for Chrome. Not known for Safari: ${reason}`,
  );
});

it('leaves out deliveries, clients and outcomes that this version does not know', () => {
  const odd = {
    ...transparency,
    timestamps: [timestamp, { ...timestamp, delivery: 'pigeon' as never }],
    policies: [
      policy,
      { ...policy, client: 'netscape' as never },
      { ...policy, outcome: 'perhaps' as never },
    ],
    missing: [{ client: 'netscape' as never, why: 'off' as const }],
  };
  expect(knownTransparency(odd)).toEqual({ ...transparency, unreadable: 1, missing: [] });
  expect(transparencyText(odd).join()).not.toMatch(/undefined|pigeon|netscape/);
});

it('the Markdown has a row for each timestamp, and escapes the log’s name', () => {
  const text = transparencyText({ ...transparency, unreadable: 2 }).join('\n\n');
  expect(text).toContain('## Certificate Transparency');
  expect(text).toContain('Argon\\|1');
  expect(text).toContain('2026-11-01T12:30:00.000Z | certificate |');
  expect(text).toContain('Chrome: counts; Firefox: the log is retired; Safari: not known');
  expect(text).toContain('2 more could not be read, or come after the first 20.');
  expect(transparencyText({ ...transparency, timestamps: [] })).toContain('No timestamps.');
  const malformed = transparencyText({ ...transparency, timestamps: [], unreadable: 1 }).join('\n\n');
  expect(malformed).toContain('No readable timestamps.');
  expect(malformed).not.toContain('more could not be read');
  const stapled = { ...transparency, timestamps: [{ ...timestamp, delivery: 'staple' as const }] };
  expect(transparencyText(stapled).join()).toContain('| OCSP response |');
});
