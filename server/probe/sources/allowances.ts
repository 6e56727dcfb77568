import { BoundedMap } from '../../pki/index.ts';
import type { Asker } from './sources.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';

/** One purse that a question is taken from, and how many it holds. */
export interface Charge {
  to: string;
  most: number;
}

const WINDOW_MS = 15 * MINUTE_MS;
/** What a real CA fails to answer; more than can ever be under way, so that a burst alone is not refused. */
const PUBLIC_HOST = 2_000;
const ASKED_HOST = 8;
const ASKED_NETWORK = 16;
/** By all askers: they are made up easily. Real CAs share networks too, but their answers cost nothing and are remembered. */
const NETWORK_IN_ALL = 240;
const MOST_PURSES = 32_768;

/** Questions of the last quarter of an hour that came to nothing or have no answer yet, by purse. */
export class Allowances {
  readonly #purses = new BoundedMap<string, { spent: number; since: number }>(MOST_PURSES);

  /** Takes one question from each purse, or none where one of them is empty. `now` in ms UTC. */
  take(charges: readonly Charge[], now: number): boolean {
    const purses = charges.map((charge) => ({ ...charge, ...this.#purse(charge.to, now) }));
    if (purses.some(({ spent, most }) => spent >= most)) return false;
    for (const { to, spent, since } of purses) this.#purses.set(to, { spent: spent + 1, since });
    return true;
  }

  /** The question had a proven answer, and costs nothing. */
  giveBack(charges: readonly Charge[], now: number): void {
    for (const { to } of charges) {
      const { spent, since } = this.#purse(to, now);
      this.#purses.set(to, { spent: Math.max(0, spent - 1), since });
    }
  }

  #purse(to: string, now: number): { spent: number; since: number } {
    const purse = this.#purses.get(to);
    const isCurrent = purse !== null && now >= purse.since && now - purse.since < WINDOW_MS;
    return isCurrent ? purse : { spent: 0, since: now };
  }
}

/** What a question to this host costs. `asker`: null where a public authority stands behind it. */
export function chargesOf(asker: Asker | null, host: string, addresses: readonly string[]): Charge[] {
  if (asker === null) return [{ to: `public ${host}`, most: PUBLIC_HOST }];
  return [
    { to: `host ${host} by ${asker.host}`, most: ASKED_HOST },
    ...[...new Set(addresses.map(networkOf))].flatMap((network) => [
      { to: `network ${network} by ${asker.host}`, most: ASKED_NETWORK },
      { to: `network ${network}`, most: NETWORK_IN_ALL },
    ]),
  ];
}

/** The address itself, or the /64 of IPv6, of which one machine may have every address. */
function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [left = [], right = []] = address.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].slice(0, 4).join(':');
}
