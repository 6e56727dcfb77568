export type PasswordWeakness =
  /** The password is in the list of breached passwords. */
  | 'known'
  /** The password has the same letters as the user's name, their address or a part of it, or the product's name. */
  | 'personal';

let breached: Promise<ReadonlySet<string>> | undefined;

/** Returns the list of breached passwords. Loads it on first use, because it takes 4 MB of memory and 40 ms. */
const breachedPasswords = (): Promise<ReadonlySet<string>> =>
  (breached ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common']),
  ));

/**
 * Returns why a password is too weak, or null if it is acceptable. `words` are the user's name, their address and its
 * parts, and the product's name. Ignores case.
 */
export async function passwordWeakness(
  password: string,
  words: readonly string[],
): Promise<PasswordWeakness | null> {
  const folded = password.toLowerCase();
  if ((await breachedPasswords()).has(folded)) return 'known';
  // Compare letters only: "Certlantern-2026!" is still just the product's name.
  const letters = lettersOf(folded);
  return words.some((word) => word.toLowerCase() === folded || hasSameLetters(letters, word))
    ? 'personal'
    : null;
}

/** Returns the address, its local part and its domain. */
export function emailWords(email: string): string[] {
  const at = email.lastIndexOf('@');
  return [email, email.slice(0, at), email.slice(at + 1)];
}

const lettersOf = (text: string) => text.replaceAll(/[^\p{L}]/gu, '');

function hasSameLetters(letters: string, word: string): boolean {
  const name = lettersOf(word.toLowerCase());
  return name.length > 0 && letters === name;
}
