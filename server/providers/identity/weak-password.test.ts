import { describe, expect, it } from 'vitest';
import { emailWords, passwordWeakness } from './weak-password.ts';

const WORDS = [...emailWords('mara.vik@fjord.example'), 'Mara Vik', 'Certlantern'];

describe('a password', () => {
  it.each(['password1', 'PASSWORD1', 'P@ssw0rd', 'qwertyuiop', '12345678', 'iloveyou1'])(
    'is weak because it is known from breaches: %s',
    async (password) => expect(await passwordWeakness(password, WORDS)).toBe('known'),
  );

  it.each([
    'mara.vik@fjord.example',
    'MARA.VIK',
    'maravik1984',
    'Mara Vik',
    'fjord.example',
    'Certlantern-2026!',
    'certlantern',
  ])('is weak because it consists of personal or product words: %s', async (password) =>
    expect(await passwordWeakness(password, WORDS)).toBe('personal'),
  );

  it.each(['correct horse', 'lantern-demo', 'mara likes to row', '8305720461937', '🦊🦊🦊🦊🦊🦊🦊'])(
    'is accepted: %s',
    async (password) => expect(await passwordWeakness(password, WORDS)).toBeNull(),
  );

  it('is not compared with empty or very short words', async () => {
    expect(await passwordWeakness('8305720461937', ['', '12', ...emailWords('1@2.3')])).toBeNull();
  });
});
