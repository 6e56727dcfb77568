/** An error that the operator can fix. Its message is one line, printed without a stack trace. */
export class MistakeError extends Error {
  override name = 'MistakeError';
  readonly exitCode: number;

  /** Exit code 2: the command line is invalid; 1: it is valid, but what it names does not exist. */
  constructor(message: string, exitCode: 1 | 2 = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}
