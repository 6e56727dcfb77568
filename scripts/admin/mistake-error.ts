/** Something that the operator can set right; the message is the one line that says what. */
export class MistakeError extends Error {
  override name = 'MistakeError';
  readonly exitCode: number;

  /** Exit code 2: the command line makes no sense; 1: it does, but what it names is not there. */
  constructor(message: string, exitCode: 1 | 2 = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}
