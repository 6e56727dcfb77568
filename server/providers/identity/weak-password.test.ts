import { describe, expect, it } from 'vitest';
import { weaknessOf, wordsOf } from './weak-password.ts';

const WORDS = [...wordsOf('mara.vik@fjord.example'), 'Mara Vik', 'Certlantern'];

describe('a password', () => {
  it.each(['password1', 'PASSWORD1', 'P@ssw0rd', 'qwertyuiop', '12345678', 'iloveyou1'])(
    '%s is known from breaches',
    async (password) => expect(await weaknessOf(password, WORDS)).toBe('known'),
  );

  it.each([
    'mara.vik@fjord.example',
    'MARA.VIK',
    'maravik1984',
    'Mara Vik',
    'fjord.example',
    'Certlantern-2026!',
    'certlantern',
  ])('%s is what others would try first', async (password) =>
    expect(await weaknessOf(password, WORDS)).toBe('personal'),
  );

  it.each(['correct horse', 'lantern-demo', 'mara likes to row', '8305720461937', '🦊🦊🦊🦊🦊🦊🦊'])(
    '%s is taken',
    async (password) => expect(await weaknessOf(password, WORDS)).toBeNull(),
  );

  it('is not judged by words that are not there', async () => {
    expect(await weaknessOf('8305720461937', ['', '12', ...wordsOf('1@2.3')])).toBeNull();
  });
});
