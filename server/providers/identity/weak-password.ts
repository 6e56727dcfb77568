export type PasswordWeakness =
  /** Among those that breaches have made known. */
  | 'known'
  /** What anybody would try first who knows whose it is. */
  | 'personal';

let known: Promise<ReadonlySet<string>> | undefined;

/** The list is 4 MB in memory and 40 ms of work: nobody pays for it before the first password is chosen. */
const knownPasswords = (): Promise<ReadonlySet<string>> =>
  (known ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common']),
  ));

/**
 * Why a password must not be taken; null where nothing speaks against it. `words` are what its owner and this place are
 * called: name, address, product. Upper and lower case count the same.
 */
export async function weaknessOf(
  password: string,
  words: readonly string[],
): Promise<PasswordWeakness | null> {
  const folded = password.toLowerCase();
  if ((await knownPasswords()).has(folded)) return 'known';
  // "Certlantern-2026!" is still nothing but the product's name.
  const letters = lettersOf(folded);
  return words.some((word) => word.toLowerCase() === folded || isMadeOf(letters, word)) ? 'personal' : null;
}

/** The address, and what stands before and behind its @. */
export function wordsOf(email: string): string[] {
  const at = email.lastIndexOf('@');
  return [email, email.slice(0, at), email.slice(at + 1)];
}

const lettersOf = (text: string) => text.replaceAll(/[^\p{L}]/gu, '');

function isMadeOf(letters: string, word: string): boolean {
  const name = lettersOf(word.toLowerCase());
  return name.length > 0 && letters === name;
}
