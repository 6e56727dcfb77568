import type { Outcome } from './outcome.ts';
import { printLine, runCommand, tool } from './run-command.ts';

const STATIC_CHECKS: { name: string; command: string[] }[] = [
  { name: 'types', command: [tool('tsc'), '--noEmit', '-p', '.'] },
  { name: 'lint', command: [tool('oxlint'), '--type-aware', '--deny-warnings'] },
  { name: 'formatting', command: [tool('prettier'), '--check', '--log-level', 'warn', '.'] },
  { name: 'dead code', command: [tool('knip'), '--no-progress'] },
];

export async function runStaticChecks(): Promise<Outcome> {
  const results = await Promise.all(
    STATIC_CHECKS.map(async (check) => {
      const good = await runCommand(check.command, { quiet: true });
      if (!good) printLine(`== ${check.name} failed (see above)`);
      return good ? [] : [check.name];
    }),
  );
  const failures = results.flat();
  return { passed: results.length - failures.length, skipped: 0, flaky: 0, failures };
}
