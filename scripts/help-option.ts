/** Prints `usage` and exits with 0 if the command line has --help or -h. */
export function answerHelp(usage: string): void {
  if (!process.argv.slice(2).some((arg) => arg === '--help' || arg === '-h')) return;
  process.stdout.write(`${usage.trimEnd()}\n`);
  process.exit(0);
}
