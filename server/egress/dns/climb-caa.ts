const MAX_LABELS = 32;

/**
 * Asks for the CAA records of a name and its parents, up to the first with records or without an answer (RFC 8659 §3). Returns all answers, that of
 * the name first. `ask` follows aliases. Skips top-level domains: a name of one label may be anything in the local network.
 */
export async function climbCaa<Answer extends { outcome: string }>(
  name: string,
  ask: (domain: string) => Promise<Answer>,
): Promise<{ domain: string; answer: Answer }[]> {
  const labels = name.split('.').slice(-MAX_LABELS);
  const steps: { domain: string; answer: Answer }[] = [];
  for (let start = 0; start < labels.length - 1; start++) {
    const domain = labels.slice(start).join('.');
    const answer = await ask(domain);
    steps.push({ domain, answer });
    if (answer.outcome === 'records' || answer.outcome === 'no_answer') break;
  }
  return steps;
}
