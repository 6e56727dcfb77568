/** Questions of one check for certificates that no public authority vouches for. */
const MOST_QUESTIONS = 12;

/**
 * On whose behalf CAs are asked: one check of this host. What its certificates say may be made up by anybody, so what it makes us
 * ask is charged to it, unless a public authority stands behind it.
 */
export class Asker {
  readonly host: string;
  #left = MOST_QUESTIONS;

  constructor(host: string) {
    this.host = host;
  }

  /** Takes one of the questions that are left. */
  mayAsk(): boolean {
    return this.#left-- > 0;
  }
}
