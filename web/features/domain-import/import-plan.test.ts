import { expect, test } from 'vitest';
import type { ImportPreview } from '../../../contract/domain-import.ts';
import {
  countFates,
  entriesOf,
  isProblem,
  notAdded,
  planImport,
  remaining,
  type Results,
  verdictOf,
  withAnswers,
  withUnanswered,
} from './import-plan.ts';
import { parseImport } from './parse-import.ts';
import { hostLine, skippedLine } from './parsed-import.ts';

const lines = [
  hostLine(1, 'a.example'),
  skippedLine(2, 'Cron', 'No host'),
  hostLine(3, 'https://a.example/x'),
  hostLine(4, 'not a host'),
  hostLine(5, 'old.example'),
  hostLine(6, 'b.example', { tags: ['web'], remark: 'Paused there' }),
  hostLine(7, 'c.example'),
];
const is = (outcome: 'new' | 'exists', host: string): ImportPreview['entries'][number] => ({
  outcome,
  endpoint: `${host}:443`,
  display_name: host,
  message: null,
});
const answers = [
  is('new', 'a.example'),
  is('new', 'a.example'),
  { outcome: 'invalid' as const, endpoint: null, display_name: null, message: 'Letters only.' },
  is('exists', 'old.example'),
  is('new', 'b.example'),
  is('new', 'c.example'),
];
const plan = planImport(lines, answers, 2);
const texts = (results: Results = new Map()) =>
  plan.map((line, index) => verdictOf(line, results.get(index)).text);

test('the import plan says what will happen to every line', () => {
  expect(texts()).toEqual([
    'Will be added',
    'Skipped',
    'Duplicate of line 1',
    'Not a valid host',
    'Already tracked',
    'Will be added',
    'Over the plan’s limit',
  ]);
  expect([...countFates(plan)]).toEqual([
    ['new', 2],
    ['exists', 1],
    ['repeated', 1],
    ['beyond', 1],
    ['invalid', 1],
    ['skipped', 1],
  ]);
  expect(plan.map((line) => isProblem(line, undefined))).toEqual([
    false,
    true,
    false,
    true,
    false,
    false,
    true,
  ]);
});

test('an import plan without a limit adds every new host', () => {
  expect(planImport(lines, answers, null).filter(({ fate }) => fate.kind === 'new')).toHaveLength(3);
});

test('an import shows the result of each answered line and sends only the unanswered lines again', () => {
  expect(remaining(plan, new Map())).toEqual([0, 5]);
  const refused = { problem: 'host_refused', message: 'Private.', domain: null } as const;
  const results = withAnswers(new Map(), [0], [refused]);
  expect(remaining(plan, results)).toEqual([5]);
  expect(verdictOf(plan[0]!, results.get(0))).toEqual({
    tone: 'critical',
    text: 'Not added',
    detail: 'Private.',
  });
});

test('an imported host that exists after a lost response counts as added', () => {
  const exists = { problem: 'domain_exists', message: 'There already.', domain: null } as const;
  const lost = withUnanswered(new Map(), [0]);
  expect(remaining(plan, lost)).toEqual([0, 5]);
  const results = withAnswers(lost, [0, 5], [exists, exists]);
  expect(texts(results)[0]).toBe('Added');
  expect(texts(results)[5]).toBe('Not added');
});

test('import lines that were not added can be copied and pasted again', () => {
  const added = { problem: null, message: null, domain: null };
  expect(notAdded(plan, withAnswers(new Map(), [0], [added]))).toBe(
    [
      '# Cron: Skipped. No host',
      'not a host  # Not a valid host. Letters only.',
      'b.example  # Not sent',
      'c.example  # Over the plan’s limit',
    ].join('\n'),
  );
});

test('lines that were not added are copied as CSV with their targets, and the import can read it back', () => {
  const left = [
    hostLine(1, 'shop.example:8443', {
      tags: ['web', 'two words'],
      notes: 'Says "hello", twice;\nin two lines',
      target: { connect_to: '[2001:db8::1]:8443', server_name: 'none', expected_status: '200-399,401' },
    }),
    hostLine(2, 'smtp://mail.example', { target: { verify_name: 'other.example', family: '4' } }),
    hostLine(3, 'plain.example', { tags: ['web'] }),
  ];
  const lost = skippedLine(4, 'Cron,"daily,\nnightly', 'No host');
  const refused = { problem: 'host_refused', message: 'It says,"no"; really.', domain: null } as const;
  const newHost = is('new', 'x.example');
  const leftPlan = planImport(
    [...left, lost],
    left.map((_, index) => ({ ...newHost, endpoint: `${index}` })),
    2,
  );
  const text = notAdded(leftPlan, withAnswers(new Map(), [0], [refused]));
  expect(text.split('\n')).toEqual([
    'host,connect_to,server_name,verify_name,expected_status,family,tags,notes',
    '"# Not added. It says,""no""; really."',
    'shop.example:8443,[2001:db8::1]:8443,none,,"200-399,401",,"web; two words","Says ""hello"", twice;',
    'in two lines"',
    '# Not sent',
    'smtp://mail.example,,,other.example,,4,,',
    '# Over the plan’s limit',
    'plain.example,,,,,,web,',
    '"# Cron,""daily, nightly: Skipped. No host"',
  ]);
  const parsed = parseImport(text);
  expect(parsed.ok && parsed.lines).toHaveLength(3);
  expect(parsed.ok && entriesOf(parsed.lines)).toEqual(entriesOf(left));
});
