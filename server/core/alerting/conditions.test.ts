import { expect, it } from 'vitest';
import {
  answer,
  HOST,
  intermediate,
  inWords,
  issue,
  NOW,
  observation,
  root,
} from '../../../tests/kit/judging.ts';
import { createTrustStore } from '../../pki/index.ts';
import { judge } from '../judge/judge.ts';
import { conditionsOf } from './conditions.ts';

it('of a chain that is not whole sends nobody a file that no message has, but to where it is', () => {
  const authorities = [{ der: new Uint8Array(intermediate.der), source: 'cache' as const, url: null }];
  const seen = observation([answer([issue()])], { authorities });
  const verdict = judge(seen, NOW, createTrustStore([root.der]));
  const [finding] = inWords(verdict).findings;
  expect(finding?.fix).toMatch(/^Send this file: /);
  const [condition] = conditionsOf(verdict, null, HOST).filter(({ problem }) => problem === 'chain_broken');
  expect(condition?.facts).toMatchObject({
    message: finding?.message,
    fix: expect.stringContaining('with the details of this domain'),
  });
});
