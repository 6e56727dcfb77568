const WORDS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];

/** 3 → 'three', 12 → '12'. */
export function inWords(count: number): string {
  return WORDS[count] ?? String(count);
}

/** 3 → 'Three', 12 → '12': for the start of a sentence. */
export function inWordsCapitalised(count: number): string {
  const word = inWords(count);
  return word.charAt(0).toUpperCase() + word.slice(1);
}
