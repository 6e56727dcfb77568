/** '14 days before' for '14d', '20 % of its lifetime left' for '20%'. */
export function stepWords(step: string): string {
  const amount = Number.parseInt(step, 10);
  if (step.endsWith('%')) return `${amount} % of its lifetime left`;
  return amount === 1 ? '1 day before' : `${amount} days before`;
}

/** Days come first, the longest before the others; then percentages. */
export function sortedSteps(steps: readonly string[]): string[] {
  const rank = (step: string) => (step.endsWith('d') ? 1_000 : 0) + Number.parseInt(step, 10);
  return steps.toSorted((one, other) => rank(other) - rank(one));
}
