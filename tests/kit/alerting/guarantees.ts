import type { ChosenStep } from '../../../server/core/alert-steps.ts';
import type { ExpiringCertificate, Verdict } from '../../../server/core/verdict.ts';
import { DAY, type SimulatedHost } from './simulated-host.ts';
import { type Incident, keyOf, type MemoryOutbox, type SentStep } from './memory-outbox.ts';
import type { MutableEvent } from '../../../contract/check-words.ts';

/*
 * Guarantees about alerts, each verified against the whole history. They share no code with the rules under test: they even
 * compute the due times of steps themselves.
 */

const RECHECK_MS = 20_000;
const ABSENT_MS = 90_000;
const HOUR = 3_600_000;
const WEEK = 7 * DAY;
const IMMEDIATE = ['expiry', 'revoked', 'replacement_wanted'];

/** Returns when each step of a certificate is due, earliest first, as documented in docs/guides/watch-hosts.md. */
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
 * Returns whether the new certificate expires soon, or sooner than the old one. Then it may belong to another server and not
 * be a renewal.
 */
function mayBeOtherServer(
  { lastSeen, leafFingerprint }: Verdict,
  old: ExpiringCertificate,
  chosen: readonly ChosenStep[] | null,
  now: number,
): boolean {
  const leaf = lastSeen?.expiring.find(({ fingerprint }) => fingerprint === leafFingerprint);
  const wasRecent = lastSeen?.turns.some(({ certificate }) => certificate.fingerprint === old.fingerprint);
  if (leaf === undefined || !wasRecent) return false;
  return leaf.notAfter <= old.notAfter || reachedStep(leaf, chosen, now) !== null;
}

export interface ObservedCheck {
  now: number;
  verdict: Verdict;
  previous: Verdict | null;
  host: SimulatedHost;
  outbox: MemoryOutbox;
  steps: readonly ChosenStep[] | null;
  muted: readonly MutableEvent[];
  isMaintained: boolean;
  /** The alerts that this check planned and that the outbox accepted. */
  alerts: readonly SentStep[];
  /** Ids of the incidents to which an intermittent problem returned. */
  rejoined: readonly string[];
}

/** What one check found out about one problem. */
interface Sighting {
  /** `unknown`: the check cannot tell whether the host has the problem. */
  state: 'present' | 'absent' | 'unknown';
  /** The alert step that the problem has reached, and since when (ms UTC; null if that is not known); null if no alert is due. */
  due: { step: string; at: number | null } | null;
}

interface Track {
  /** State in all conclusive checks from `since` to `before`, ms UTC. */
  state: 'present' | 'absent';
  since: number;
  before: number;
}

export class Guarantees {
  readonly #tracks = new Map<string, Track>();
  readonly #shown = new Set<string>();
  #change: { to: string; at: number } | null = null;

  verify(check: ObservedCheck): void {
    for (const alert of check.alerts) this.#verifyReportedOnce(check, alert);
    for (const id of check.rejoined) this.#verifyRejoined(check, id);
    for (const [key, sighting] of this.#sightings(check)) {
      const track = this.#updateTrack(key, sighting, check.now);
      this.#verifyStep(check, key, sighting);
      if (sighting.due !== null) this.#verifyNotLost(check, key, sighting.due, track);
      this.#verifyRecovery(check, key, track);
    }
    this.#verifyChanges(check);
    this.#verifyOutages(check);
  }

  #sightings({ verdict, host, now, steps }: ObservedCheck): Map<string, Sighting> {
    const { reached, lastSeen } = verdict;
    const sightings = new Map<string, Sighting>();
    const shown = reached ? verdict.addresses.map(({ fingerprint }) => fingerprint) : [];
    for (const certificate of host.certificates) {
      const { fingerprint, notAfter } = certificate;
      const known = lastSeen?.expiring.find((one) => one.fingerprint === fingerprint);
      const isShown = shown.includes(fingerprint);
      // If the check did not see the certificate, another server may still serve it.
      const away = reached && known === undefined ? 'absent' : 'unknown';
      const reachedBy = known ? reachedStep(known, steps, now) : null;
      const isOtherServer = away === 'absent' && mayBeOtherServer(verdict, certificate.seen, steps, now);
      sightings.set(`expiry ${fingerprint}`, {
        state: known ? 'present' : isOtherServer ? 'unknown' : away,
        due: reachedBy,
      });
      const isRevoked =
        lastSeen?.revoked.some((one) => one.fingerprint === fingerprint && one.served) ?? false;
      sightings.set(
        `revoked ${fingerprint}`,
        isRevoked ? { state: 'present', due: { step: 'revoked', at: null } } : { state: away, due: null },
      );
      const isWanted = isShown && certificate.isReplacementWanted && now < notAfter;
      sightings.set(
        `replacement_wanted ${fingerprint}`,
        isWanted
          ? { state: 'present', due: { step: 'opened', at: null } }
          : { state: isShown && now < notAfter ? 'absent' : away, due: null },
      );
    }
    const broken = host.chain === 'broken' ? 'opened' : host.chain === 'whole' ? null : 'some_clients';
    for (const [key, step] of [
      ['wrong_name ', host.isWrongName ? 'opened' : null],
      ['chain_broken ', broken],
    ] as const)
      sightings.set(key, {
        state: !reached ? 'unknown' : step === null ? 'absent' : 'present',
        due: !reached || step === null ? null : { step, at: null },
      });
    for (const key of this.#tracks.keys()) if (!sightings.has(key)) throw new Error(`${key} was forgotten`);
    return sightings;
  }

  /** Adds this check to the track of a problem and returns the track; null before the first conclusive check. */
  #updateTrack(key: string, { state }: Sighting, now: number): Track | null {
    const track = this.#tracks.get(key) ?? null;
    if (state === 'unknown') return track;
    const next: Track =
      track?.state === state ? { ...track, before: now } : { state, since: now, before: now };
    this.#tracks.set(key, next);
    return next;
  }

  /** No alert is sent about a problem that does not exist, is not confirmed, is not due or is silenced. */
  #verifyStep(check: ObservedCheck, key: string, { state, due }: Sighting): void {
    for (const alert of check.alerts.filter((one) => one.key === key && one.step !== 'resolved')) {
      assert(state === 'present' && due !== null, `${key} is reported but does not exist`);
      assert(alert.step === due?.step, `${key}: ${alert.step} is reported instead of ${due?.step}`);
      assert(!this.#isSilenced(check, alert.incident, alert.step), `${key} is reported while silenced`);
      const { problem, confirmedAt } = alert.incident;
      assert(IMMEDIATE.includes(problem) || confirmedAt !== null, `${key} is reported unconfirmed`);
      assert(
        IMMEDIATE.includes(problem) || check.now - alert.incident.startedAt >= RECHECK_MS,
        `${key} is reported by its first check`,
      );
      const before = check.outbox.sentOf(alert.incident).filter((one) => one !== alert);
      assert(
        before.every(({ step }) => step !== 'resolved'),
        `${key} is reported after its recovery`,
      );
      const passed = due?.at ?? null;
      assert(
        passed === null || before.every(({ at }) => at < passed),
        `${key}: ${alert.step} was reported already`,
      );
      const remainingMs = (alert.alert.facts.certificate?.notAfter ?? 0) - check.now;
      if (problem === 'expiry' && alert.step === 'expired')
        assert(remainingMs <= 0, `${key} is reported as expired before its end`);
    }
  }

  /** A problem is reported once until it ends, and at most twice a week. */
  #verifyReportedOnce({ outbox, now }: ObservedCheck, alert: SentStep): void {
    if (alert.step === 'resolved') return;
    const same = outbox.sent.filter(
      (one) =>
        one !== alert && one.key === alert.key && one.step === alert.step && one.state !== 'superseded',
    );
    for (const one of same) {
      const isOver = outbox.ends.some(
        ({ incident, at }) => incident.incidentId === one.incident.incidentId && at >= one.at,
      );
      assert(isOver, `${alert.key} ${alert.step} is reported twice for one incident`);
    }
    if (alert.incident.problem === 'down') return;
    const recent = same.filter(({ at }) => at > now - WEEK);
    assert(recent.length < 2, `${alert.key} ${alert.step} is reported a third time in a week`);
  }

  #verifyRejoined({ outbox, now }: ObservedCheck, id: string): void {
    const key = outbox.incidents.find(({ incidentId }) => incidentId === id)?.key ?? '';
    const recent = outbox.ends.filter(
      ({ incident, at }) =>
        incident.key === key && at > now - WEEK - HOUR && outbox.sentOf(incident).length > 0,
    );
    assert(
      new Set(recent.map(({ incident }) => incident.incidentId)).size >= 2,
      `${key} returned unreported`,
    );
  }

  /** A problem that exists, is confirmed and is not silenced has been reported, for this incident. */
  #verifyNotLost(
    check: ObservedCheck,
    key: string,
    due: { step: string; at: number | null },
    track: Track | null,
  ): void {
    const { outbox, now } = check;
    const incident = outbox.openOf(key);
    assert(incident !== null, `${key} exists without an incident`);
    if (incident === null || this.#isSilenced(check, incident, due.step)) return;
    const isSeenTwice = track?.state === 'present' && now - track.since >= RECHECK_MS;
    if (!isSeenTwice && !IMMEDIATE.includes(incident.problem)) return;
    const rows = outbox.sentOf(incident).filter(({ step }) => step !== 'resolved');
    const isReported = rows.some(
      ({ step, at }) => step === due.step || step === 'opened' || (due.at !== null && at >= due.at),
    );
    assert(isReported, `${key}: ${due.step} is lost`);
  }

  /** A recovery is reported once, and only after an alert. It must be reported once the problem has been gone for two checks. */
  #verifyRecovery(check: ObservedCheck, key: string, track: Track | null): void {
    const { outbox, now, alerts, muted } = check;
    const isOver = track?.state === 'absent' && now - track.since >= ABSENT_MS && track.before === now;
    const news = alerts.filter((one) => one.key === key && one.step === 'resolved');
    for (const one of news) {
      assert(isOver, `${key} is resolved too early`);
      const rows = outbox.sentOf(one.incident);
      assert(
        rows.some(({ step }) => step !== 'resolved'),
        `${key} is resolved without an earlier alert`,
      );
    }
    assert(news.length <= 1, `${key} is reported as resolved twice`);
    const open = outbox.openOf(key);
    assert(
      !(open !== null && isOver && now - track.since >= HOUR),
      `${key} is gone but its incident is open`,
    );
    for (const { incident, at } of outbox.ends.slice(-8)) {
      if (at !== now || incident.key !== key || !isOver) continue;
      const rows = outbox.sentOf(incident);
      const isWanted = !muted.includes('good_news') && !muted.includes(incident.problem as 'changed');
      if (rows.some(({ state }) => state === 'sent') && isWanted)
        assert(
          rows.some(({ step }) => step === 'resolved'),
          `${key} ends without a resolved alert`,
        );
    }
  }

  #isSilenced(check: ObservedCheck, incident: Incident, step: string): boolean {
    const { muted, isMaintained, now } = check;
    const { problem, snoozedUntil, acknowledgedAt } = incident;
    return (
      isMaintained ||
      (snoozedUntil ?? 0) > now ||
      (acknowledgedAt !== null && step !== 'expired') ||
      muted.includes(problem === 'down' ? 'uptime' : (problem as MutableEvent))
    );
  }

  /** An unexpected replacement is reported when the second check confirms it; no other replacement is. */
  #verifyChanges(check: ObservedCheck): void {
    const { verdict, previous, outbox, now, alerts, muted, isMaintained } = check;
    for (const one of alerts.filter(({ incident }) => incident.problem === 'changed')) {
      const { certificate, successor } = one.alert.facts;
      assert(successor?.fingerprint === verdict.leafFingerprint, 'the reported certificate is not served');
      assert(certificate?.fingerprint !== verdict.leafFingerprint, 'a certificate replaced itself');
      assert(now - one.incident.startedAt >= RECHECK_MS, 'a change is reported by its first check');
      assert(!muted.includes('changed') && !isMaintained, 'a change is reported while silenced');
    }
    const leaf = verdict.leafFingerprint;
    if (leaf === null) return;
    const before = previous?.lastSeen ?? null;
    if (this.#change !== null && this.#change.to === leaf && now - this.#change.at >= RECHECK_MS) {
      const rows = outbox.sent.filter(({ key }) => key === `changed ${leaf}`);
      const incident =
        outbox.openOf(`changed ${leaf}`) ?? outbox.incidents.findLast(({ key }) => key === `changed ${leaf}`);
      const isSilenced = incident !== undefined && this.#isSilenced(check, incident, 'opened');
      assert(rows.length > 0 || isSilenced, `the change to ${leaf} is lost`);
      this.#change = null;
    }
    if (this.#change !== null && this.#change.to !== leaf) this.#change = null;
    const old = before?.expiring.find(({ fingerprint }) => fingerprint === before.leafFingerprint);
    const isNew = before !== null && before.leafFingerprint !== leaf && !this.#shown.has(leaf);
    if (isNew && old !== undefined && !this.#isRenewalExpected(old, check))
      this.#change = { to: leaf, at: now };
    const incident = outbox.openOf(keyOf({ problem: 'changed', fingerprint: leaf }));
    if (incident?.startedAt === now && previous?.judgedAt !== now && old !== undefined)
      assert(!this.#isRenewalExpected(old, check), `${old.fingerprint} was due for renewal`);
    this.#shown.add(leaf);
  }

  #isRenewalExpected(old: ExpiringCertificate, { previous, now }: ObservedCheck): boolean {
    const life = old.notAfter - old.notBefore;
    const usual = life < 10 * DAY ? old.notBefore + life / 2 : old.notBefore + (life * 2) / 3;
    const seen = previous?.lastSeen;
    return (
      now >= Math.floor(old.renewalWindow ? old.renewalWindow.start : usual) ||
      (seen?.findings.length ?? 0) > 0 ||
      (seen?.revoked.some(({ served }) => served) ?? false)
    );
  }

  #verifyOutages(check: ObservedCheck): void {
    const { outbox, now, alerts, muted } = check;
    const downs = outbox.incidents.filter(({ problem }) => problem === 'down');
    const current = downs.at(-1);
    if (current === undefined) return;
    const flappings = downs.filter((one) => outbox.sentOf(one).some(({ step }) => step === 'flapping'));
    // An incident lasts until the host has been up for an hour, or until checks could not tell for some time.
    const lasting = flappings.find((one) => one !== current && lastDown(downs, one) === current);
    for (const one of alerts.filter(({ incident }) => incident.problem === 'down')) {
      assert(!muted.includes('uptime'), 'an outage is reported although uptime is muted');
      if (one.step === 'resolved') {
        assert(check.host.isUp && current.endedAt !== null, 'the host is reported as up while it is down');
        const last = outbox.sentOf(one.incident).some(({ step }) => step === 'flapping')
          ? lastDown(downs, one.incident)
          : one.incident;
        assert(last.recovered, 'the host is reported as up, but no check saw that');
        if (last !== one.incident || flappings.includes(one.incident))
          assert(now - (last.endedAt ?? now) >= HOUR, 'the host is reported as stable too early');
        continue;
      }
      const recent = downs.filter(({ startedAt }) => startedAt >= one.incident.startedAt - 6 * HOUR);
      assert(one.incident === current && current.endedAt === null, 'the host is up but reported as down');
      assert(
        (one.step === 'flapping') === recent.length >= 3,
        `${recent.length} outages lead to ${one.step}`,
      );
      assert(lasting === undefined, 'a flapping host is reported again');
      assert(!this.#isSilenced(check, one.incident, one.step), 'an outage is reported while silenced');
    }
    const rows = outbox.sentOf(current);
    if (current.endedAt === null) {
      const isSilenced = this.#isSilenced(check, current, 'opened');
      assert(rows.length > 0 || lasting !== undefined || isSilenced, 'an outage is not reported');
      return;
    }
    if (muted.includes('uptime') || muted.includes('good_news') || !check.host.isUp) return;
    for (const one of new Set([current, ...flappings])) {
      const last = flappings.includes(one) ? lastDown(downs, one) : one;
      const isDue = last.recovered && now - (last.endedAt ?? now) >= (flappings.includes(one) ? HOUR : 0);
      const known = outbox.sentOf(one);
      // An incident that ended a week ago is forgotten.
      if (isDue && known.length > 0 && now - (one.endedAt ?? now) < WEEK)
        assert(
          known.some(({ step }) => step === 'resolved'),
          'the end of an outage is not reported',
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

function assert(isKept: boolean, message: string): asserts isKept {
  if (!isKept) throw new Error(message);
}
