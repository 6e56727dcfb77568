import { setTimeout as delay } from 'node:timers/promises';
import { CALLS } from '../../contract/calls/calls.ts';
import type { DomainWire } from '../../contract/domain.ts';
import type { Person } from '../../tests/kit/people.ts';
import type { Hosts } from './hosts.ts';
import { pick, type Random } from './random.ts';
import { MINUTE_MS } from '../../contract/durations.ts';

interface Entry {
  id: string;
  /** `host:port` */
  name: string;
  minutes: number;
  /** `in doubt`: a change of it was sent and not answered. */
  state: 'kept' | 'removed' | 'in doubt';
}

/** What the product has acknowledged to one person, kept outside of it. */
export interface Writes {
  entries: readonly Entry[];
  /** How many calls were answered. */
  acknowledged(): number;
  /** Makes one random change; false when the product is gone or wants a pause. */
  write(random: Random, newHost: (() => string) | null): Promise<boolean>;
  /** Serves a good certificate at one of the hosts whose certificate has ended, and has it looked at. */
  renewOne(hosts: Hosts): Promise<void>;
  /**
   * Has those renewals looked at of which nobody knows whether the product heard: what is held against them needs all of them.
   * @throws where it refuses that for two minutes.
   */
  insistOnRenewals(): Promise<void>;
  /** What was acknowledged and is not so, in words; empty when all is well. */
  compare(domains: readonly DomainWire[]): string[];
}

const FREQUENCIES = [10, 15, 60, 1440];
/** Longer than any message about it can still be held back by a look that is due. */
const ENDED_FOR_MS = 75_000;
const PAUSE_MS = 1_000;
/** Twice the window of the limits that the product sets on the calls here. */
const PATIENCE_MS = 2 * MINUTE_MS;

export function createWrites(person: Person): Writes {
  const entries: Entry[] = [];
  /** Ids of domains. */
  const unheard = new Set<string>();
  let acknowledged = 0;

  /** An answer counts only as a whole; anything less leaves open what happened. */
  async function attempt<T>(call: () => Promise<{ status: number; ok: T }>): Promise<T | null> {
    try {
      const { ok } = await call();
      acknowledged++;
      return ok;
    } catch {
      return null;
    }
  }

  async function add(name: string): Promise<boolean> {
    const added = await attempt(() => person.ask(CALLS.addDomain, { body: { host: name } }));
    if (added === null) return false;
    entries.push({ id: added.data.id, name, minutes: added.data.check_every_minutes, state: 'kept' });
    return true;
  }

  async function change(entry: Entry, minutes: number | null): Promise<boolean> {
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

  /** False: the product is gone or wants a pause. */
  async function tellOfRenewals(): Promise<boolean> {
    for (const id of unheard) {
      const body = { action: 'check', ids: [id] };
      if ((await attempt(() => person.ask(CALLS.actOnDomains, { body }))) === null) return false;
      unheard.delete(id);
    }
    return true;
  }

  return {
    entries,
    acknowledged: () => acknowledged,
    async write(random, newHost) {
      const kept = entries.filter(({ state }) => state === 'kept');
      const kind = random();
      if (newHost !== null && (kept.length === 0 || kind < 0.4)) return add(newHost());
      if (kept.length === 0) return false;
      const entry = pick(kept, random);
      return change(entry, kind < 0.42 && newHost !== null ? null : pick(FREQUENCIES, random));
    },
    async renewOne(hosts) {
      await tellOfRenewals();
      const now = Date.now();
      const ended = entries.find(({ state, name }) => {
        const host = hosts.all.get(name.replace(/:\d+$/, ''));
        return state === 'kept' && host?.fate === 'ended' && host.notAfter + ENDED_FOR_MS < now;
      });
      if (ended === undefined) return;
      hosts.renew(ended.name.replace(/:\d+$/, ''));
      unheard.add(ended.id);
      await tellOfRenewals();
    },
    async insistOnRenewals() {
      const until = Date.now() + PATIENCE_MS;
      while (!(await tellOfRenewals())) {
        if (Date.now() >= until) throw new Error(`${unheard.size} renewals were not heard of`);
        await delay(PAUSE_MS);
      }
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

/**
 * Every domain of a person, as the product lists them; waits where they wrote so much that it wants a pause.
 * @throws where that pause does not end.
 */
export async function everyDomain(person: Person): Promise<DomainWire[]> {
  const domains: DomainWire[] = [];
  let until = Date.now() + PATIENCE_MS;
  for (let page = 1; ;) {
    const answer = await person.ask(CALLS.listDomains, { query: { page: String(page) } });
    if (answer.status === 429) {
      if (Date.now() >= until) throw new Error('The product does not list domains: too many calls');
      await delay(PAUSE_MS);
      continue;
    }
    page++;
    until = Date.now() + PATIENCE_MS;
    domains.push(...answer.ok.data);
    if (domains.length >= answer.ok.total) return domains;
  }
}
