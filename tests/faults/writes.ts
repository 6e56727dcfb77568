import { setTimeout as delay } from 'node:timers/promises';
import { CALLS } from '../../contract/calls/calls.ts';
import type { DomainWire } from '../../contract/domain.ts';
import type { Person } from '../kit/product/people.ts';
import type { Hosts } from './hosts.ts';
import { pick, type Random } from './random.ts';
import { MINUTE_MS, SECOND_MS } from '../../contract/durations.ts';

interface Entry {
  id: string;
  /** Domain as `host:port`. */
  name: string;
  minutes: number;
  /** State according to the calls; `in doubt` after a change that got no response. */
  state: 'kept' | 'removed' | 'in doubt';
}

/** Log of a person's writes, kept outside the product, with the writes that the product acknowledged. */
export interface Writes {
  entries: readonly Entry[];
  /** Returns the number of calls that the product acknowledged. */
  acknowledged(): number;
  /**
   * Makes one random change. Returns false if the product is down or rate-limits, or if there is no domain to change.
   */
  write(random: Random, newHost: (() => string) | null): Promise<boolean>;
  /** Renews one expired certificate on all its hosts, and requests their checks. */
  renewOne(): Promise<void>;
  /**
   * Requests a check of every renewed domain whose new expiry date the product does not show: an earlier request may have been lost, or
   * the domain's last write got no response. @throws Error after two minutes of refusals.
   */
  requestMissingChecks(): Promise<void>;
  /** Returns descriptions of the acknowledged writes that `domains` does not show. */
  compare(domains: readonly DomainWire[]): string[];
}

const FREQUENCIES = [10, 15, 60, 1440];
/** Time from the expiry to the renewal, in ms. It is longer than a late check can delay alerts about the expiry. */
const ENDED_FOR_MS = 75_000;
const PAUSE_MS = 1_000;
/** Maximum wait for the product to accept a call, ms: twice the window of its rate limits. */
const WAIT_TIMEOUT_MS = 2 * MINUTE_MS;

export function createWrites(person: Person, hosts: Hosts): Writes {
  const entries: Entry[] = [];
  /** Ids of renewed domains whose check was not yet acknowledged. */
  const uncheckedRenewals = new Set<string>();
  let acknowledged = 0;

  /** Returns the call's response; null if the call failed or the response was incomplete, so that its effect is unknown. */
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

  /** Requests the outstanding checks. Returns false if the product is down or rate-limits. */
  async function requestChecks(): Promise<boolean> {
    for (const id of uncheckedRenewals) {
      const body = { action: 'check', ids: [id] };
      if ((await attempt(() => person.ask(CALLS.actOnDomains, { body }))) === null) return false;
      uncheckedRenewals.delete(id);
    }
    return true;
  }

  const hostOf = (name: string) => hosts.all.get(name.replace(/:\d+$/, ''));
  // Such a domain must stay: if it is the last host with its certificate and is removed before the product sees the renewal,
  // no message says that it was renewed.
  const isRemovable = ({ name }: Entry): boolean => hostOf(name)?.lifecycle !== 'renewed';

  return {
    entries,
    acknowledged: () => acknowledged,
    async write(random, newHost) {
      const kept = entries.filter(({ state }) => state === 'kept');
      const kind = random();
      if (newHost !== null && (kept.length === 0 || kind < 0.4)) return add(newHost());
      if (kept.length === 0) return false;
      const entry = pick(kept, random);
      const isRemoved = kind < 0.42 && newHost !== null && isRemovable(entry);
      return change(entry, isRemoved ? null : pick(FREQUENCIES, random));
    },
    async renewOne() {
      await requestChecks();
      const now = Date.now();
      const ended = entries.find(({ state, name }) => {
        const host = hostOf(name);
        return state === 'kept' && host?.lifecycle === 'ended' && host.notAfter + ENDED_FOR_MS < now;
      });
      if (ended === undefined) return;
      const renewed = hosts.renew(ended.name.replace(/:\d+$/, ''));
      for (const { id, name, state } of entries)
        if (state === 'kept' && renewed.some((host) => host === hostOf(name)?.host))
          uncheckedRenewals.add(id);
      await requestChecks();
    },
    async requestMissingChecks() {
      for (const { id, display_name: name, expiry_date: end } of await everyDomain(person)) {
        const host = hostOf(name);
        const isSeen = end !== null && Date.parse(end) > (host?.notAfter ?? 0) - SECOND_MS;
        if (host?.lifecycle === 'renewed' && !isSeen) uncheckedRenewals.add(id);
      }
      const until = Date.now() + WAIT_TIMEOUT_MS;
      while (!(await requestChecks())) {
        if (Date.now() >= until) throw new Error(`${uncheckedRenewals.size} renewals could not be checked`);
        await delay(PAUSE_MS);
      }
    },
    compare(domains) {
      const found = new Map(domains.map((domain) => [domain.id, domain]));
      return entries.flatMap(({ id, name, minutes, state }) => {
        const domain = found.get(id);
        if (state === 'kept' && domain === undefined) return [`${name} was added but is missing`];
        if (state === 'removed' && domain !== undefined) return [`${name} was removed but still exists`];
        if (state === 'kept' && domain?.check_every_minutes !== minutes)
          return [`${name} has to be checked every ${minutes} minutes, not ${domain?.check_every_minutes}`];
        return [];
      });
    },
  };
}

/** Returns all domains of a person. Waits if the product rate-limits. @throws Error after two minutes of refusals. */
export async function everyDomain(person: Person): Promise<DomainWire[]> {
  const domains: DomainWire[] = [];
  let until = Date.now() + WAIT_TIMEOUT_MS;
  for (let page = 1; ;) {
    const answer = await person.ask(CALLS.listDomains, { query: { page: String(page) } });
    if (answer.status === 429) {
      if (Date.now() >= until) throw new Error('The product refuses to list domains: too many calls');
      await delay(PAUSE_MS);
      continue;
    }
    page++;
    until = Date.now() + WAIT_TIMEOUT_MS;
    domains.push(...answer.ok.data);
    if (domains.length >= answer.ok.total) return domains;
  }
}
