import type { Verdict } from '../verdict.ts';

/** Whether an answer that the verdict depends on was still on its way: the next look knows more. */
export function isAwaiting({ reached, path, findings, revocation }: Verdict): boolean {
  const isPathPending = findings.some(
    ({ code, severity }) => code === 'incomplete_chain' && severity === 'warning',
  );
  return (
    (reached && path.length === 0 && isPathPending) || revocation.sources.some(({ why }) => why === 'pending')
  );
}
