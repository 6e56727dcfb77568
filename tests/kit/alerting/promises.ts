import type { ChosenStep, ExpiringCertificate, Verdict } from '../../../server/core/index.ts';
import { DAY, type MadeUpHost } from './made-up-host.ts';
import { type Incident, keyOf, type MemoryOutbox, type SentStep } from './memory-outbox.ts';
import type { MutableEvent } from '../../../contract/words.ts';

/*
 * The guarantees that alerts give, each checked against the whole history. Shares no code with what it tests, not even the due
 * times of steps.
 */

const APART = 20_000;
const AWAY = 90_000;
const HOUR = 3_600_000;
const WEEK = 7 * DAY;
const PROVEN = ['expiry', 'revoked', 'replacement_wanted'];

/** Returns when each step of a certificate is due, earliest first, according to the product's decisions. */
export function stepsOf(
  one: ExpiringCertificate,
  chosen: readonly ChosenStep[] | null,
): { step: string; at: number }[] {
  const life = one.notAfter - one.notBefore;
  const before = (days: number, share: number) =>
    one.notAfter - Math.floor(Math.min(days * DAY, life * share));
  if (chosen !== null)
    return [
      ...chosen.map((step) => {
        const number = Number.parseInt(step);
        return { step, at: step.endsWith('%') ? before(999, number / 100) : before(number, 0.5) };
      }),
      { step: 'expired', at: one.notAfter },
    ];
  const warning = before(14, 0.2);
  const overdue = one.renewalWindow ? Math.min(one.renewalWindow.end, warning) : before(30, 0.25);
  return [
    { step: 'renewal_overdue', at: overdue },
    { step: 'warning', at: warning },
    { step: 'critical', at: before(7, 0.1) },
    { step: 'three_days', at: before(3, 0.05) },
    { step: 'one_day', at: before(1, 0.02) },
    { step: 'expired', at: one.notAfter },
  ];
}

/** Returns the step that a certificate has reached: the last one due, or the closest to expiry of several due together. */
function reachedStep(
  one: ExpiringCertificate,
  chosen: readonly ChosenStep[] | null,
  now: number,
): { step: string; at: number } | null {
  let reached: { step: string; at: number } | null = null;
  for (const step of stepsOf(one, chosen))
    if (step.at <= now && (reached === null || step.at >= reached.at)) reached = step;
  return reached;
}

/**
 * Returns whether the new certificate expires soon, or sooner than the old one: it may belong to another server instead of being
 * a renewal.
 */
function mayBeBeside(
  { lastSeen, leafFingerprint }: Verdict,
  old: ExpiringCertificate,
  chosen: readonly ChosenStep[] | null,
  now: number,
): boolean {
  const leaf = lastSeen?.expiring.find(({ fingerprint }) => fingerprint === leafFingerprint);
  const wasLately = lastSeen?.turns.some(({ certificate }) => certificate.fingerprint === old.fingerprint);
  if (leaf === undefined || !wasLately) return false;
  return leaf.notAfter <= old.notAfter || reachedStep(leaf, chosen, now) !== null;
}

export interface RecordedLook {
  now: number;
  verdict: Verdict;
  previous: Verdict | null;
  host: MadeUpHost;
  outbox: MemoryOutbox;
  steps: readonly ChosenStep[] | null;
  muted: readonly MutableEvent[];
  isMaintained: boolean;
  /** The alerts that this check planned and the outbox accepted. */
  told: readonly SentStep[];
  reopened: readonly string[];
}

/** The state of one problem: it exists, it is gone, or the check could not tell. `due`: an alert is due. */
interface Sighting {
  says: 'there' | 'gone' | 'nothing';
  due: { step: string; at: number | null } | null;
}

interface Track {
  /** The decisive sightings of one period without a break in which the problem existed or was gone. */
  says: 'there' | 'gone';
  since: number;
  before: number;
}

export class Promises {
  readonly #tracks = new Map<string, Track>();
  readonly #shown = new Set<string>();
  #change: { to: string; at: number } | null = null;

  hold(look: RecordedLook): void {
    for (const told of look.told) this.#oncePerEpisode(look, told);
    for (const id of look.reopened) this.#onlyWhatReturnsOften(look, id);
    for (const [key, sighting] of this.#sightings(look)) {
      const track = this.#follow(key, sighting, look.now);
      this.#rightStep(look, key, sighting);
      if (sighting.due !== null) this.#notLost(look, key, sighting.due, track);
      this.#goodNews(look, key, track);
    }
    this.#changes(look);
    this.#downs(look);
  }

  #sightings({ verdict, host, now, steps }: RecordedLook): Map<string, Sighting> {
    const { reached, lastSeen } = verdict;
    const sightings = new Map<string, Sighting>();
    const shown = reached ? verdict.addresses.map(({ fingerprint }) => fingerprint) : [];
    for (const certificate of host.certificates) {
      const { fingerprint, notAfter } = certificate;
      const known = lastSeen?.expiring.find((one) => one.fingerprint === fingerprint);
      const isShown = shown.includes(fingerprint);
      // The check did not see it, but it is still served somewhere at this address.
      const away = reached && known === undefined ? 'gone' : 'nothing';
      const reachedBy = known ? reachedStep(known, steps, now) : null;
      const isBeside = away === 'gone' && mayBeBeside(verdict, certificate.seen, steps, now);
      sightings.set(`expiry ${fingerprint}`, {
        says: known ? 'there' : isBeside ? 'nothing' : away,
        due: reachedBy,
      });
      const isRevoked =
        lastSeen?.revoked.some((one) => one.fingerprint === fingerprint && one.served) ?? false;
      sightings.set(
        `revoked ${fingerprint}`,
        isRevoked ? { says: 'there', due: { step: 'revoked', at: null } } : { says: away, due: null },
      );
      const isWanted = isShown && certificate.isWanted && now < notAfter;
      sightings.set(
        `replacement_wanted ${fingerprint}`,
        isWanted
          ? { says: 'there', due: { step: 'opened', at: null } }
          : { says: isShown && now < notAfter ? 'gone' : away, due: null },
      );
    }
    const broken = host.chain === 'broken' ? 'opened' : host.chain === 'whole' ? null : 'some_clients';
    for (const [key, step] of [
      ['wrong_name ', host.isWrongName ? 'opened' : null],
      ['chain_broken ', broken],
    ] as const)
      sightings.set(key, {
        says: !reached ? 'nothing' : step === null ? 'gone' : 'there',
        due: !reached || step === null ? null : { step, at: null },
      });
    for (const key of this.#tracks.keys()) if (!sightings.has(key)) throw new Error(`${key} was forgotten`);
    return sightings;
  }

  /** Returns how long the problem has existed or been gone, up to this check. */
  #follow(key: string, { says }: Sighting, now: number): Track | null {
    const track = this.#tracks.get(key) ?? null;
    if (says === 'nothing') return track;
    const next: Track = track?.says === says ? { ...track, before: now } : { says, since: now, before: now };
    this.#tracks.set(key, next);
    return next;
  }

  /** No alert is sent about a problem that does not exist, is not confirmed, is not due or is silenced. */
  #rightStep(look: RecordedLook, key: string, { says, due }: Sighting): void {
    for (const told of look.told.filter((one) => one.key === key && one.step !== 'resolved')) {
      insist(says === 'there' && due !== null, `${key} is told and not so`);
      insist(told.step === due?.step, `${key}: ${told.step} is told where it is ${due?.step}`);
      insist(
        !this.#isSilent(look, told.incident, told.step),
        `${key} is told although somebody asked for silence`,
      );
      const { problem, confirmedAt } = told.incident;
      insist(PROVEN.includes(problem) || confirmedAt !== null, `${key} is told unconfirmed`);
      insist(
        PROVEN.includes(problem) || look.now - told.incident.startedAt >= APART,
        `${key} is told at first sight`,
      );
      const before = look.outbox.sentOf(told.incident).filter((one) => one !== told);
      insist(
        before.every(({ step }) => step !== 'resolved'),
        `${key} is told where no good news can follow`,
      );
      const passed = due?.at ?? null;
      insist(passed === null || before.every(({ at }) => at < passed), `${key}: ${told.step} was known`);
      const isLate = (told.alert.facts.certificate?.notAfter ?? 0) - look.now;
      if (problem === 'expiry' && told.step === 'expired')
        insist(isLate <= 0, `${key} is called expired before its end`);
    }
  }

  /** A problem is reported once until it ends, and at most twice a week. */
  #oncePerEpisode({ outbox, now }: RecordedLook, told: SentStep): void {
    if (told.step === 'resolved') return;
    const same = outbox.sent.filter(
      (one) => one !== told && one.key === told.key && one.step === told.step && one.state !== 'superseded',
    );
    for (const one of same) {
      const isOver = outbox.ends.some(({ incident, at }) => incident === one.incident && at >= one.at);
      insist(isOver, `${told.key} ${told.step} is told twice of one trouble`);
    }
    if (told.incident.problem === 'down') return;
    const lately = same.filter(({ at }) => at > now - WEEK);
    insist(lately.length < 2, `${told.key} ${told.step} is told a third time in a week`);
  }

  #onlyWhatReturnsOften({ outbox, now }: RecordedLook, id: string): void {
    const key = outbox.incidents.find((one) => one.id === id)?.key ?? '';
    const lately = outbox.ends.filter(
      ({ incident, at }) =>
        incident.key === key && at > now - WEEK - HOUR && outbox.sentOf(incident).length > 0,
    );
    insist(
      new Set(lately.map(({ incident }) => incident)).size >= 2,
      `${key} came back and is not told anew`,
    );
  }

  /** A problem that exists, is confirmed and is not silenced has been reported, for this incident. */
  #notLost(
    look: RecordedLook,
    key: string,
    due: { step: string; at: number | null },
    track: Track | null,
  ): void {
    const { outbox, now } = look;
    const incident = outbox.openOf(key);
    insist(incident !== null, `${key} is so, and there is no incident`);
    if (incident === null || this.#isSilent(look, incident, due.step)) return;
    const isSeenTwice = track?.says === 'there' && now - track.since >= APART;
    if (!isSeenTwice && !PROVEN.includes(incident.problem)) return;
    const rows = outbox.sentOf(incident).filter(({ step }) => step !== 'resolved');
    const isTold = rows.some(
      ({ step, at }) => step === due.step || step === 'opened' || (due.at !== null && at >= due.at),
    );
    insist(isTold, `${key}: ${due.step} is lost`);
  }

  /** A recovery is reported once, only after an alert, when the problem has been gone for two checks; and then always. */
  #goodNews(look: RecordedLook, key: string, track: Track | null): void {
    const { outbox, now, told, muted } = look;
    const isOver = track?.says === 'gone' && now - track.since >= AWAY && track.before === now;
    const news = told.filter((one) => one.key === key && one.step === 'resolved');
    for (const one of news) {
      insist(isOver, `${key} is called over too early`);
      const rows = outbox.sentOf(one.incident);
      insist(
        rows.some(({ step }) => step !== 'resolved'),
        `good news of ${key} without bad news`,
      );
    }
    insist(news.length <= 1, `good news of ${key} twice`);
    const open = outbox.openOf(key);
    insist(
      !(open !== null && isOver && now - track.since >= HOUR),
      `${key} is gone and its incident is not over`,
    );
    for (const { incident, at } of outbox.ends.slice(-8)) {
      if (at !== now || incident.key !== key || !isOver) continue;
      const rows = outbox.sentOf(incident);
      const isWanted = !muted.includes('good_news') && !muted.includes(incident.problem as 'changed');
      if (rows.some(({ state }) => state === 'sent') && isWanted)
        insist(
          rows.some(({ step }) => step === 'resolved'),
          `${key} ends without good news`,
        );
    }
  }

  #isSilent(look: RecordedLook, incident: Incident, step: string): boolean {
    const { muted, isMaintained, now } = look;
    const { problem, snoozedUntil, acknowledgedAt } = incident;
    return (
      isMaintained ||
      (snoozedUntil ?? 0) > now ||
      (acknowledgedAt !== null && step !== 'expired') ||
      muted.includes(problem === 'down' ? 'uptime' : (problem as MutableEvent))
    );
  }

  /** An unexpected replacement is reported when the second check confirms it; no other replacement is. */
  #changes(look: RecordedLook): void {
    const { verdict, previous, outbox, now, told, muted, isMaintained } = look;
    for (const one of told.filter(({ incident }) => incident.problem === 'changed')) {
      const { certificate, successor } = one.alert.facts;
      insist(successor?.fingerprint === verdict.leafFingerprint, 'a change is told of what is not there');
      insist(certificate?.fingerprint !== verdict.leafFingerprint, 'a certificate took its own place');
      insist(now - one.incident.startedAt >= APART, 'a change is told at first sight');
      insist(
        !muted.includes('changed') && !isMaintained,
        'a change is told although somebody asked for silence',
      );
    }
    const leaf = verdict.leafFingerprint;
    if (leaf === null) return;
    const before = previous?.lastSeen ?? null;
    if (this.#change !== null && this.#change.to === leaf && now - this.#change.at >= APART) {
      const rows = outbox.sent.filter(({ key }) => key === `changed ${leaf}`);
      const incident =
        outbox.openOf(`changed ${leaf}`) ?? outbox.incidents.findLast(({ key }) => key === `changed ${leaf}`);
      const isSilent = incident !== undefined && this.#isSilent(look, incident, 'opened');
      insist(rows.length > 0 || isSilent, `the change to ${leaf} is lost`);
      this.#change = null;
    }
    if (this.#change !== null && this.#change.to !== leaf) this.#change = null;
    const old = before?.expiring.find(({ fingerprint }) => fingerprint === before.leafFingerprint);
    const isNew = before !== null && before.leafFingerprint !== leaf && !this.#shown.has(leaf);
    if (isNew && old !== undefined && !this.#isExcused(old, look)) this.#change = { to: leaf, at: now };
    const incident = outbox.openOf(keyOf({ problem: 'changed', fingerprint: leaf }));
    if (incident?.startedAt === now && previous?.judgedAt !== now && old !== undefined)
      insist(!this.#isExcused(old, look), `${old.fingerprint} was due to be replaced`);
    this.#shown.add(leaf);
  }

  #isExcused(old: ExpiringCertificate, { previous, now }: RecordedLook): boolean {
    const life = old.notAfter - old.notBefore;
    const usual = life < 10 * DAY ? old.notBefore + life / 2 : old.notBefore + (life * 2) / 3;
    const seen = previous?.lastSeen;
    return (
      now >= Math.floor(old.renewalWindow ? old.renewalWindow.start : usual) ||
      (seen?.findings.length ?? 0) > 0 ||
      (seen?.revoked.some(({ served }) => served) ?? false)
    );
  }

  #downs(look: RecordedLook): void {
    const { outbox, now, told, muted } = look;
    const downs = outbox.incidents.filter(({ problem }) => problem === 'down');
    const current = downs.at(-1);
    if (current === undefined) return;
    const troubles = downs.filter((one) => outbox.sentOf(one).some(({ step }) => step === 'flapping'));
    // An incident lasts until the host has been up for an hour, or until checks could not tell for some time.
    const lasting = troubles.find((one) => one !== current && lastDown(downs, one) === current);
    for (const one of told.filter(({ incident }) => incident.problem === 'down')) {
      insist(!muted.includes('uptime'), 'uptime is told although it is muted');
      if (one.step === 'resolved') {
        insist(look.host.isUp && current.endedAt !== null, 'it is called up while it is down');
        const last = outbox.sentOf(one.incident).some(({ step }) => step === 'flapping')
          ? lastDown(downs, one.incident)
          : one.incident;
        insist(last.recovered, 'it is called up, and nobody saw that');
        if (last !== one.incident || troubles.includes(one.incident))
          insist(now - (last.endedAt ?? now) >= HOUR, 'it is called steady too early');
        continue;
      }
      const recent = downs.filter(({ startedAt }) => startedAt >= one.incident.startedAt - 6 * HOUR);
      insist(one.incident === current && current.endedAt === null, 'it is called down while it is up');
      insist(
        (one.step === 'flapping') === recent.length >= 3,
        `${recent.length} times down make ${one.step}`,
      );
      insist(lasting === undefined, 'it is told again of what comes and goes');
      insist(
        !this.#isSilent(look, one.incident, one.step),
        'down is told although somebody asked for silence',
      );
    }
    const rows = outbox.sentOf(current);
    if (current.endedAt === null) {
      const isSilent = this.#isSilent(look, current, 'opened');
      insist(rows.length > 0 || lasting !== undefined || isSilent, 'down is lost');
      return;
    }
    if (muted.includes('uptime') || muted.includes('good_news') || !look.host.isUp) return;
    for (const one of new Set([current, ...troubles])) {
      const last = troubles.includes(one) ? lastDown(downs, one) : one;
      const isDue = last.recovered && now - (last.endedAt ?? now) >= (troubles.includes(one) ? HOUR : 0);
      const known = outbox.sentOf(one);
      // An incident that ended a week ago is forgotten.
      if (isDue && known.length > 0 && now - (one.endedAt ?? now) < WEEK)
        insist(
          known.some(({ step }) => step === 'resolved'),
          'good news of a time of being down is lost',
        );
    }
  }
}

function lastDown(downs: readonly Incident[], first: Incident): Incident {
  let last = first;
  for (const next of downs.slice(downs.indexOf(first) + 1)) {
    if (last.endedAt === null || !last.recovered || next.startedAt - last.endedAt >= HOUR) break;
    last = next;
  }
  return last;
}

function insist(isKept: boolean, otherwise: string): asserts isKept {
  if (!isKept) throw new Error(otherwise);
}
