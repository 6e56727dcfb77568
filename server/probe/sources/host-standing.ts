import { RecentValues } from './recent-values.ts';

interface Standing {
  /** Questions since `since` that came to nothing, or have no answer yet. */
  fruitless: number;
  since: number;
  /** Whether it ever gave an answer that was proven. */
  isProven: boolean;
}

const WINDOW_MS = 15 * 60_000;
/** Who never gave anything may be anybody whom a stranger's certificate names: he is not bothered for long. */
const ALLOWANCE = 8;
/** A real CA's answers go wrong too, and strangers name it to have it shut out. */
const PROVEN_ALLOWANCE = 200;
const MOST_HOSTS = 4_096;

/** What became of questions to each host, so that certificates cannot make us flood one or wait for one. */
export class HostStandings {
  readonly #hosts = new RecentValues<Standing>(MOST_HOSTS);

  isProven(host: string): boolean {
    return this.#hosts.get(host)?.isProven ?? false;
  }

  /** Counts a question, unless the host has had its share of this quarter of an hour. `now` in ms UTC. */
  begin(host: string, now: number): boolean {
    const before = this.#hosts.get(host) ?? { fruitless: 0, since: now, isProven: false };
    const isOver = now < before.since || now - before.since >= WINDOW_MS;
    const standing = isOver ? { ...before, fruitless: 0, since: now } : before;
    const isAllowed = standing.fruitless < (standing.isProven ? PROVEN_ALLOWANCE : ALLOWANCE);
    this.#hosts.set(host, { ...standing, fruitless: standing.fruitless + (isAllowed ? 1 : 0) });
    return isAllowed;
  }

  /** The host gave what it should. */
  prove(host: string, now: number): void {
    const before = this.#hosts.get(host) ?? { fruitless: 0, since: now, isProven: true };
    this.#hosts.set(host, { ...before, fruitless: Math.max(0, before.fruitless - 1), isProven: true });
  }
}
