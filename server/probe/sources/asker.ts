import { WorkBudget } from '../../pki/index.ts';

/** Questions of one check for certificates that no public authority vouches for. */
const MOST_QUESTIONS = 12;

/**
 * On whose behalf CAs are asked: one check of this host. What its certificates say may be made up by anybody, so what it makes us
 * ask is charged to it, unless a public authority stands behind it.
 */
export class Asker {
  readonly host: string;
  /** What its certificates, and what CAs say of them, may cost. */
  readonly work: WorkBudget;
  #left = MOST_QUESTIONS;

  constructor(host: string, work = new WorkBudget()) {
    this.host = host;
    this.work = work;
  }

  /** Takes one of the questions that are left. */
  mayAsk(): boolean {
    return this.#left-- > 0;
  }
}
