import { expect, it } from 'vitest';
import { CALLS, type Call } from '../../contract/calls/calls.ts';
import { EXAMPLE_BODIES } from '../../server/api/documentation/example-bodies.ts';

it('is a body that the call takes, for every call that a token may make', () => {
  const withBody = Object.entries<Call>(CALLS).filter(([, { body, scope }]) => body && scope);
  expect(withBody.map(([name]) => name).filter((name) => !(name in EXAMPLE_BODIES))).toEqual([]);
  for (const [name, example] of Object.entries(EXAMPLE_BODIES)) {
    const call: Call = CALLS[name as keyof typeof CALLS];
    expect([name, call.body?.safeParse(example).error?.issues]).toEqual([name, undefined]);
  }
});
