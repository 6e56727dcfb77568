import { describe, expect, it } from 'vitest';
import { reachedChannels, reachesAnybody } from './reaches-anybody.ts';

const channel = (key: string, state: 'open' | 'unsubscribed' | 'off') => ({ key, state });

describe('whether a choice of channels reaches anybody', () => {
  it.each([
    ['by all channels', [channel('email', 'unsubscribed'), channel('a', 'open')], null, true],
    ['by the chosen one', [channel('email', 'unsubscribed'), channel('a', 'open')], ['a'], true],
    ['by the own mail in its place', [channel('email', 'open'), channel('a', 'off')], ['a'], true],
    [
      'not by one that was not chosen',
      [channel('email', 'unsubscribed'), channel('a', 'open')],
      ['b'],
      false,
    ],
    ['not where all are closed', [channel('email', 'unsubscribed'), channel('a', 'off')], null, false],
  ])('%s', (_, channels, chosen, reaches) => {
    expect(reachesAnybody(channels, chosen)).toBe(reaches);
  });
});

it('the own mail is reached if it is chosen, or if no chosen channel is open', () => {
  const keysOf = (chosen: string[] | null, state: 'open' | 'off') =>
    reachedChannels([channel('email', 'open'), channel('a', state)], chosen).map(({ key }) => key);
  expect(keysOf(null, 'open')).toEqual(['email', 'a']);
  expect(keysOf(['a'], 'open')).toEqual(['a']);
  expect(keysOf(['a'], 'off')).toEqual(['email']);
});
