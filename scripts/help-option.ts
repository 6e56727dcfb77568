/** Prints the usage of this program and ends it with exit code 0, if the command line asks for help. */
export function answerHelp(usage: string): void {
  if (!process.argv.slice(2).some((word) => word === '--help' || word === '-h')) return;
  process.stdout.write(`${usage.trimEnd()}\n`);
  process.exit(0);
}
