import { readFileSync } from 'node:fs';
import { assert, nat, property, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../contract/durations.ts';
import { expensiveLists } from '../../../tests/kit/certificates/expensive-lists.ts';
import { damaged } from '../../../tests/kit/certificates/damaged-bytes.ts';
import { logListJson, mintLog } from '../../../tests/kit/certificates/mint-log.ts';
import { currentUntil, type LogList, MAX_LIST_BYTES, operatorAt, parseLogList } from './log-list.ts';

const NOW = Date.UTC(2026, 11, 1);
const RECEIVED = NOW - DAY_MS;

const parse = (content: unknown, receivedAt = RECEIVED) =>
  parseLogList(Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)), receivedAt);
function read(content: unknown, receivedAt = RECEIVED): LogList {
  const result = parse(content, receivedAt);
  if ('problem' in result) throw new Error(result.problem);
  return result;
}
const onlyLog = (entry: object, key: 'logs' | 'tiled_logs' = 'logs') =>
  [...read({ operators: [{ name: 'Fjord', [key]: [entry] }] }).logs.values()][0];

const log = mintLog('Fjord');
const id = log.id.toString('base64');
const key = log.key.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');

describe('a list of logs', () => {
  it('is read with the logs of every operator, of both kinds', () => {
    const previousOperators = [{ name: 'Old', until: Date.UTC(2025, 0) }];
    const logs = [
      log,
      mintLog('Skerry', { isStatic: true, state: 'qualified', since: 5 }),
      mintLog('Tarn', { key: 'RSA-2048', state: 'retired', since: Date.UTC(2026, 1), previousOperators }),
    ];
    const list = read(logListJson(logs, NOW - 2 * DAY_MS));
    expect(list.asOf).toBe(NOW - 2 * DAY_MS);
    expect([...list.logs.keys()]).toEqual(logs.map((one) => one.id.toString('base64')));
    expect([...list.logs.values()]).toMatchObject(
      logs.map(({ name, operator, isStatic, state, since, previousOperators: previous }) => ({
        description: name,
        operator,
        isStatic,
        state,
        since,
        previousOperators: previous,
        key: { type: name.startsWith('Tarn') ? 'rsa' : 'ec' },
      })),
    );
  });

  it('has the time of its receipt if it gives none, as Apple’s, or one in the future', () => {
    const operators = [{ name: 'Fjord', logs: [{ log_id: id }] }];
    expect(read({ version: '511', operators }).asOf).toBe(RECEIVED);
    expect(read({ log_list_timestamp: 'yesterday', operators }).asOf).toBe(RECEIVED);
    expect(read({ log_list_timestamp: '2030-01-01T00:00:00Z', operators }).asOf).toBe(RECEIVED);
  });

  it('is current for 70 days', () => {
    expect(currentUntil(read(logListJson([log], RECEIVED)))).toBe(RECEIVED + 70 * DAY_MS);
  });

  it.each<[string, unknown, string]>([
    ['is not JSON', '{', 'The list of logs is not JSON with operators.'],
    ['is a JSON list', '[]', 'The list of logs is not JSON with operators.'],
    ['has no operators', { operators: {} }, 'The list of logs is not JSON with operators.'],
    ['has no logs', { operators: [{ name: 'Fjord', logs: [] }] }, 'The list has no logs.'],
    [
      'has no log with an id',
      { operators: [{ logs: [{}, null, 5, { log_id: 'AA==' }] }] },
      'The list has no logs.',
    ],
    [
      'has one log twice',
      { operators: [{ logs: [{ log_id: id }] }, { tiled_logs: [{ log_id: id }] }] },
      `The list has two logs with the id ${id}.`,
    ],
    [
      'has 100,000 logs',
      { operators: [{ logs: Array.from({ length: 100_000 }, () => ({})) }] },
      'The list has 100000 logs; at most 2000 are read.',
    ],
    ['is larger than 512 kB', ' '.repeat(512 * 1024 + 1), 'The list of logs is larger than 512 kB.'],
  ])('is refused with one line if it %s', (_, content, problem) => {
    expect(parse(content)).toEqual({ problem });
  });
});

describe('a log in a list', () => {
  it('keeps its id if nothing else can be read', () => {
    expect(
      onlyLog({ log_id: id, key: 'AAAA', description: 5, state: 'usable', previous_operators: {} }),
    ).toEqual({
      description: '',
      operator: 'Fjord',
      previousOperators: [],
      isStatic: false,
      key: null,
      state: 'unknown',
      since: null,
    });
  });

  it.each<[string, string | undefined]>([
    ['another id', mintLog('Other').key.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')],
    ['no key', undefined],
    ['base64 that is cut off', key.slice(0, -1)],
  ])('has no key if it gives %s', (_, other) => {
    expect(onlyLog({ log_id: id, key: other })?.key).toBeNull();
    expect(onlyLog({ log_id: id, key })?.key).not.toBeNull();
  });

  it.each(['P-384', 'RSA-1024', 'Ed25519'] as const)('has no key if that is of the kind %s', (kind) => {
    const odd = mintLog('Odd', { key: kind });
    expect([...read(logListJson([odd], NOW)).logs.values()][0]?.key).toBeNull();
  });

  it.each<[object, string]>([
    [{ pending: { timestamp: '2026-01-01T00:00:00Z' } }, 'pending'],
    [{ usable: {} }, 'usable'],
    [{ readonly: { timestamp: '2026-01-01T00:00:00Z', final_tree_head: { tree_size: 5 } } }, 'readonly'],
    [{ usable: {}, retired: { timestamp: '2026-01-01T00:00:00Z' } }, 'retired'],
    [{ retired: {} }, 'unknown'],
    [{ paused: { timestamp: '2026-01-01T00:00:00Z' } }, 'unknown'],
    [{}, 'unknown'],
  ])('with the state %j is %s', (state, name) => {
    expect(onlyLog({ log_id: id, state })?.state).toBe(name);
  });

  it('had the operator that the list names for the given time', () => {
    const previous = [
      { name: 'Second', end_time: '2026-06-01T00:00:00Z' },
      { name: 'First', end_time: '2026-01-01T00:00:00Z' },
    ];
    const changed = onlyLog({ log_id: id, previous_operators: previous });
    if (changed === undefined) throw new Error('no log');
    const at = (instant: number) => operatorAt(changed, instant);
    expect(at(Date.UTC(2026, 0) - 1)).toBe('First');
    expect(at(Date.UTC(2026, 0))).toBe('Second');
    expect(at(Date.UTC(2026, 5) - 1)).toBe('Second');
    expect(at(Date.UTC(2026, 5))).toBe('Fjord');
  });
});

it('Chrome’s list of 29 August 2026 has 48 logs, with two placeholders', () => {
  // Version 89.34 of www.gstatic.com/ct/log_list/v3/log_list.json, published by Google; the keys were removed.
  const file = new URL('../../../tests/kit/certificates/chrome-log-list.json', import.meta.url);
  const list = read(readFileSync(file, 'utf8'), NOW);
  const logs = [...list.logs.values()];
  expect(new Date(list.asOf).toISOString()).toBe('2026-08-29T13:39:10.000Z');
  const count = (name: string) => logs.filter(({ state }) => state === name).length;
  expect(['usable', 'qualified', 'readonly', 'retired'].map(count)).toEqual([37, 6, 2, 3]);
  expect(logs).toHaveLength(48);
  expect(logs.filter(({ description }) => description.startsWith('Bogus'))).toHaveLength(2);
  expect(new Set(logs.map(({ operator }) => operator)).size).toBe(8);
  expect(logs.every(({ key: found }) => found === null)).toBe(true);
});

describe('hostile lists of logs', () => {
  it.each(Object.entries(expensiveLists()))(
    'of the largest size are read or refused with one line: %s',
    (_, bytes) => {
      expect(bytes.length).toBeLessThanOrEqual(MAX_LIST_BYTES);
      const result = parseLogList(bytes, RECEIVED);
      if ('problem' in result) expect(result.problem).toMatch(/^The list [^\n]+\.$/);
      else expect(result.logs.size).toBeLessThanOrEqual(2_000);
    },
  );

  const logs = [log, mintLog('Skerry', { isStatic: true }), mintLog('Tarn', { state: 'retired' })];
  const text = logListJson(logs, NOW);

  it('5,000 lists with damaged bytes are read or refused with one line', () => {
    assert(
      property(
        damaged(Buffer.from(text)),
        (bytes) => void expectReadOrRefused(parseLogList(bytes, RECEIVED)),
      ),
      { numRuns: 5_000, seed: 6_962 },
    );
  });

  it('5,000 lists with one odd value are read or refused with one line', () => {
    const counts = { read: 0, refused: 0 };
    assert(
      property(tuple(nat(), nat(ODD.length - 1)), ([place, odd]) => {
        const content: unknown = JSON.parse(text);
        const slots = slotsOf(content);
        slots[place % slots.length]?.(ODD[odd]);
        counts[expectReadOrRefused(parse(content))] += 1;
      }),
      { numRuns: 5_000, seed: 9_162 },
    );
    expect(counts.read).toBeGreaterThan(2_000);
    expect(counts.refused).toBeGreaterThan(50);
  });

  function expectReadOrRefused(result: ReturnType<typeof parseLogList>): 'read' | 'refused' {
    if ('problem' in result) {
      expect(result.problem).toMatch(/^The list [^\n]+\.$/);
      return 'refused';
    }
    expect(result.logs.size).toBeLessThanOrEqual(logs.length);
    return 'read';
  }
});

const ODD: readonly unknown[] = [
  null,
  true,
  -1,
  1e308,
  '',
  'constructor',
  'x'.repeat(5_000),
  '2026-13-45T00:00:00Z',
  id,
  key,
  [],
  [[[]]],
  {},
  { timestamp: 5 },
];

/** Returns a setter for every value in parsed JSON. */
function slotsOf(value: unknown): ((other: unknown) => void)[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    (other: unknown) => void Object.assign(value, { [name]: other }),
    ...slotsOf(inner),
  ]);
}
