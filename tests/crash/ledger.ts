import { CALLS } from '../../contract/calls.ts';
import type { DomainWire } from '../../contract/domain.ts';
import type { Person } from '../kit/people.ts';

interface Entry {
  id: string;
  /** `host:port` */
  name: string;
  minutes: number;
  /** `in doubt`: a change of it was sent and not answered. */
  state: 'kept' | 'removed' | 'in doubt';
}

/** What the product has acknowledged, kept outside of it. */
export interface Ledger {
  entries: Entry[];
  /** Makes one random change; false when the product is gone or wants a pause. */
  write(person: Person, random: () => number, newHost: () => string): Promise<boolean>;
  /** What was acknowledged and is not so, in words; empty when all is well. */
  compare(domains: readonly DomainWire[]): string[];
}

const FREQUENCIES = [10, 15, 60, 1440];

export function createLedger(): Ledger {
  const entries: Entry[] = [];

  /** An answer counts only as a whole; anything less leaves open what happened. */
  async function attempt<T>(call: () => Promise<{ status: number; ok: T }>): Promise<T | null> {
    try {
      return (await call()).ok;
    } catch {
      return null;
    }
  }

  async function add(person: Person, name: string): Promise<boolean> {
    const added = await attempt(() => person.ask(CALLS.addDomain, { body: { host: name } }));
    if (added === null) return false;
    entries.push({ id: added.data.id, name, minutes: added.data.check_every_minutes, state: 'kept' });
    return true;
  }

  async function change(person: Person, entry: Entry, minutes: number | null): Promise<boolean> {
    entry.state = 'in doubt';
    const params = { id: entry.id };
    const query = { check_frequency: String(minutes) };
    const done =
      minutes === null
        ? await attempt(() => person.ask(CALLS.removeDomain, { params }))
        : await attempt(() => person.ask(CALLS.setFrequency, { params, query }));
    if (done === null) return false;
    entry.state = minutes === null ? 'removed' : 'kept';
    entry.minutes = minutes ?? entry.minutes;
    return true;
  }

  return {
    entries,
    async write(person, random, newHost) {
      const kept = entries.filter(({ state }) => state === 'kept');
      const entry = kept[Math.floor(random() * kept.length)];
      const kind = random();
      if (entry === undefined || kind < 0.6) return add(person, newHost());
      if (kind < 0.7) return change(person, entry, null);
      return change(person, entry, FREQUENCIES[Math.floor(random() * FREQUENCIES.length)] ?? 60);
    },
    compare(domains) {
      const found = new Map(domains.map((domain) => [domain.id, domain]));
      return entries.flatMap(({ id, name, minutes, state }) => {
        const domain = found.get(id);
        if (state === 'kept' && domain === undefined) return [`${name} was added and is not there`];
        if (state === 'removed' && domain !== undefined) return [`${name} was removed and is there`];
        if (state === 'kept' && domain?.check_every_minutes !== minutes)
          return [`${name} is to be checked every ${minutes} minutes, not ${domain?.check_every_minutes}`];
        return [];
      });
    },
  };
}
