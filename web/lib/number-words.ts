const WORDS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];

/** 3 → 'three', 12 → '12', 5001 → '5,001'. */
export function inWords(count: number): string {
  return WORDS[count] ?? count.toLocaleString('en-GB');
}

/** 3 → 'Three', 12 → '12': for the start of a sentence. */
export function inWordsCapitalised(count: number): string {
  const word = inWords(count);
  return word.charAt(0).toUpperCase() + word.slice(1);
}
