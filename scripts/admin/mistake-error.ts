/** An error that the operator can fix. Its message is one line, printed without a stack trace. */
export class MistakeError extends Error {
  override name = 'MistakeError';
  readonly exitCode: number;

  /** Exit code 2 means an invalid command line; 1 means a valid command that cannot run, e.g. for an unknown account. */
  constructor(message: string, exitCode: 1 | 2 = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}
