import { describe, expect, it } from 'vitest';
import { reachedChannels, reachesAnybody } from './reaches-anybody.ts';

const channel = (key: string, state: 'open' | 'unsubscribed' | 'off') => ({ key, state });

describe('a choice of channels', () => {
  it.each([
    [
      'reaches somebody if all channels are chosen and one is open',
      [channel('email', 'unsubscribed'), channel('a', 'open')],
      null,
      true,
    ],
    [
      'reaches somebody if the chosen channel is open',
      [channel('email', 'unsubscribed'), channel('a', 'open')],
      ['a'],
      true,
    ],
    [
      'reaches somebody by the account’s own email if the chosen channel is off',
      [channel('email', 'open'), channel('a', 'off')],
      ['a'],
      true,
    ],
    [
      'reaches nobody if only a channel that was not chosen is open',
      [channel('email', 'unsubscribed'), channel('a', 'open')],
      ['b'],
      false,
    ],
    [
      'reaches nobody if all channels are closed',
      [channel('email', 'unsubscribed'), channel('a', 'off')],
      null,
      false,
    ],
  ])('%s', (_, channels, chosen, reaches) => {
    expect(reachesAnybody(channels, chosen)).toBe(reaches);
  });
});

it('an alert reaches the account’s own email if it is chosen, or if no chosen channel can receive alerts', () => {
  const keysOf = (chosen: string[] | null, state: 'open' | 'off') =>
    reachedChannels([channel('email', 'open'), channel('a', state)], chosen).map(({ key }) => key);
  expect(keysOf(null, 'open')).toEqual(['email', 'a']);
  expect(keysOf(['a'], 'open')).toEqual(['a']);
  expect(keysOf(['a'], 'off')).toEqual(['email']);
});
