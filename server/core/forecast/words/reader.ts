import { count } from '../../../../contract/words.ts';
import { listed } from '../../one-line.ts';
import type { ForecastCheck } from '../forecast.ts';

/** Words for one reason of a check. */
export interface ReasonWords {
  /** A few words for cards and subjects, without a full stop: "CAA forbids Let's Encrypt". Null if the check finds no fault. */
  short: string | null;
  message: string;
  fix?: string;
  evidence?: { label: string; value: string }[];
  zoneRecord?: string | null;
}
/** Words for each reason of a check. Reasons are stored, so do not rename any. */
export type WordsByReason = Readonly<Record<string, (check: CheckReader) => ReasonWords>>;

/** Reads the stored values of a check. Another version may have stored the check, so each value may be absent. */
export class CheckReader {
  readonly #check: ForecastCheck;

  constructor(check: ForecastCheck) {
    this.#check = check;
  }

  text(name: string): string {
    const value = this.#check.values[name];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  }

  number(name: string): number {
    const value = this.#check.values[name];
    return typeof value === 'number' && Number.isFinite(value) ? value : 0;
  }

  list(name: string): readonly string[] {
    const value = this.#check.values[name];
    return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
  }

  /** Returns a list of values as alternatives: "http-01 or dns-01". */
  either(name: string): string {
    return EITHER.format(this.list(name));
  }

  /** Returns the name of the CA, or "your CA". */
  get ca(): string {
    return this.text('ca') || 'your CA';
  }

  /** Returns the names that the check concerns: "a.example, b.example and 2 others". */
  get names(): string {
    const { names, values } = this.#check;
    const shown = names.slice(0, 3);
    const others =
      names.length - shown.length + (typeof values['furtherNames'] === 'number' ? values['furtherNames'] : 0);
    return listed([...shown, ...(others > 0 ? [count(others, 'other')] : [])]);
  }

  /** Returns the form of a verb for the names that the check concerns. */
  verb(singular: string, plural: string): string {
    return this.#check.names.length > 1 ? plural : singular;
  }

  /** Returns whether the renewal fails because of the check. */
  get isCertain(): boolean {
    return this.#check.state === 'fails';
  }

  /** Returns the methods that the check concerns: "http-01 or tls-alpn-01". */
  get methods(): string {
    return EITHER.format(this.#check.methods);
  }

  /** Returns the sentence that says what a fault means for the renewal; empty if the renewal does not depend on the fault. */
  get consequence(): string {
    const { state } = this.#check;
    if (state === 'fails') return 'The next renewal will fail.';
    if (state === 'depends') return `The next renewal fails only if you use ${this.methods}.`;
    return '';
  }
}

const EITHER = new Intl.ListFormat('en-GB', { type: 'disjunction' });
