import * as fc from 'fast-check';
import { describe, it } from 'vitest';
import { DAY, SimulatedHost } from '../../../tests/kit/alerting/simulated-host.ts';
import { type Incident, MemoryOutbox } from '../../../tests/kit/alerting/memory-outbox.ts';
import { Guarantees, stepsOf } from '../../../tests/kit/alerting/guarantees.ts';
import type { ChosenStep } from '../alert-steps.ts';
import type { Verdict } from '../verdict.ts';
import { updateIncidents } from './update-incidents.ts';
import { type MutableEvent, OPTIONAL_EVENTS } from '../../../contract/check-words.ts';

/*
 * Checks random histories of one host against guarantees. Each guarantee is stated in its own way over the whole history and
 * shares no code with the rules under test, not even the times of steps.
 */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const WEEK = 7 * DAY;
const STEPS: readonly (ChosenStep[] | null)[] = [
  null,
  ['30d', '7d'],
  ['14d', '3d', '1d'],
  ['20%', '1d'],
  ['50%'],
];
/** Profiles of random histories: numbers of events for `#happen`, which ignores unknown numbers, and waiting times in ms. */
const PROFILES: readonly { events: readonly number[]; waits: readonly number[] }[] = [
  {
    events: Array.from({ length: 36 }, (_, event) => event),
    waits: [
      SECOND,
      31 * SECOND,
      31 * SECOND,
      3 * MINUTE,
      20 * MINUTE,
      HOUR,
      5 * HOUR,
      DAY,
      4 * DAY,
      12 * DAY,
    ],
  },
  // A host that goes down and up.
  {
    events: [30, 30, 30, 30, 30, 10, 11, 12, 8, 20, 22, 24, 25, 26, 31, 31, 31],
    waits: [31 * SECOND, 31 * SECOND, 3 * MINUTE, 20 * MINUTE, 20 * MINUTE, HOUR, HOUR, 5 * HOUR],
  },
  // A host whose problems end and come back.
  {
    events: [3, 3, 4, 7, 13, 14, 14, 15, 16, 17, 18, 19, 23, 26, 27, 29, 32, 32, 32, 33, 33, 31],
    waits: [31 * SECOND, 31 * SECOND, 31 * SECOND, 3 * MINUTE, HOUR, HOUR, 5 * HOUR, DAY],
  },
  // A host with two servers behind one address.
  {
    events: [0, 3, 5, 5, 5, 6, 6, 7, 13, 18, 31, 31, 31, 31, 31, 34, 34, 34],
    waits: [31 * SECOND, 31 * SECOND, 3 * MINUTE, 20 * MINUTE, HOUR, DAY, DAY],
  },
];

class History {
  now = Date.UTC(2026, 0, 1);
  readonly #outbox = new MemoryOutbox();
  readonly #host: SimulatedHost;
  #verdict: Verdict | null = null;
  #recheckAt: number | null = null;
  #steps: readonly ChosenStep[] | null = null;
  #muted: MutableEvent[] = [];
  #maintenanceUntil: number | null = null;
  readonly #guarantees = new Guarantees();

  readonly #profile: (typeof PROFILES)[number];

  constructor(draw: number) {
    this.#host = new SimulatedHost(this.now, draw);
    this.#profile = PROFILES[Math.floor(draw / 1024) % PROFILES.length]!;
  }

  play(draw: number): void {
    const { events, waits } = this.#profile;
    const pick = Math.floor(draw / 16_384);
    this.#happen(events[draw % events.length]!, pick);
    const wait = Math.floor(draw / 128) % (waits.length + 4);
    this.now = wait < waits.length ? this.now + waits[wait]! : this.#instant(wait % 2 === 0, pick);
    // A check may be lost between probe and record, by a crash or an expired lease.
    if (pick % 8 !== 0) this.#check();
  }

  /** Returns when the requested check is due, or when an alert step comes. */
  #instant(wantsStep: boolean, pick: number): number {
    if (!wantsStep && this.#recheckAt !== null) return Math.max(this.now, this.#recheckAt);
    const { certificates, served } = this.#host;
    const certificate = certificates[pick % certificates.length] ?? served;
    const coming = stepsOf(certificate.seen, this.#steps).filter(({ at }) => at > this.now);
    return coming[pick % 3]?.at ?? coming[0]?.at ?? this.now + HOUR;
  }

  #happen(kind: number, pick: number): void {
    const host = this.#host;
    const incidents = this.#outbox.incidents.filter(
      ({ isDropped, endedAt }) => !isDropped && endedAt === null,
    );
    const incident = incidents[pick % Math.max(1, incidents.length)];
    const turn = pick % 3;
    switch (kind) {
      case 0:
      case 1:
      case 2:
        host.served = host.issue(this.now, kind === 2 ? pick : 1);
        break;
      case 3:
      case 4:
        host.served = host.certificates[pick % host.certificates.length] ?? host.served;
        break;
      case 5:
      case 6:
        host.other ??= host.issue(this.now, pick);
        host.answersIn = (['one', 'turns', 'both'] as const)[turn] ?? 'one';
        break;
      case 7:
        host.other = null;
        break;
      case 8:
        host.isReached = false;
        host.isUp = false;
        break;
      case 9:
      case 10:
        host.isReached = true;
        host.isUp = true;
        break;
      case 11:
      case 12:
        host.isUp = false;
        break;
      case 13:
        host.served.isRevoked = true;
        break;
      case 14:
      case 15:
        host.isWrongName = !host.isWrongName;
        break;
      case 16:
      case 17:
        host.chain = (['whole', 'some clients', 'broken'] as const)[turn] ?? 'whole';
        break;
      case 18:
        host.served.isReplacementWanted = !host.served.isReplacementWanted;
        break;
      case 19: {
        const end = this.now + (turn - 1) * 5 * DAY;
        host.setRenewalWindow(pick % 5 === 0 ? null : { start: end - DAY, end });
        break;
      }
      case 20:
        if (incident) this.#acknowledge(incident, this.now);
        break;
      case 21:
        if (incident) incident.acknowledgedAt = null;
        break;
      case 22:
        if (incident) {
          incident.snoozedUntil = this.now + [HOUR, DAY, 4 * DAY][turn]!;
          this.#outbox.dropWaiting(incident);
        }
        break;
      case 23:
        if (incident) incident.snoozedUntil = null;
        break;
      case 24:
        this.#maintenanceUntil = this.now + [HOUR, DAY, WEEK][turn]!;
        break;
      case 25:
        this.#maintenanceUntil = null;
        break;
      case 26: {
        const event = OPTIONAL_EVENTS[pick % OPTIONAL_EVENTS.length]!;
        const isMuted = this.#muted.includes(event);
        this.#muted = isMuted ? this.#muted.filter((one) => one !== event) : [...this.#muted, event];
        break;
      }
      case 27:
        this.#steps = STEPS[pick % STEPS.length] ?? null;
        break;
      case 28:
        this.#outbox.isQuiet = true;
        break;
      case 29:
        this.#outbox.isQuiet = false;
        this.#outbox.deliver();
        break;
      case 30:
        // The host goes down, a second check confirms the outage, and the host comes up again.
        host.isUp = false;
        this.#checkFor(31 * SECOND);
        host.isUp = true;
        break;
      case 31:
        // Two checks 31 s apart find no change.
        this.#checkFor(31 * SECOND);
        break;
      case 32:
        // The host serves another certificate for an hour.
        this.#swap();
        this.#checkFor(HOUR);
        this.#swap();
        break;
      case 33:
        host.isWrongName = !host.isWrongName;
        this.#checkFor(HOUR);
        break;
    }
  }

  #checkFor(ms: number): void {
    this.#check();
    this.now += ms;
    this.#check();
    this.now += 31 * SECOND;
  }

  #swap(): void {
    const { certificates, served } = this.#host;
    this.#host.served = certificates[certificates.indexOf(served) === 0 ? 1 : 0] ?? served;
  }

  #acknowledge(incident: Incident, at: number): void {
    incident.acknowledgedAt = at;
    this.#outbox.dropWaiting(incident);
  }

  #check(): void {
    const { now } = this;
    const outbox = this.#outbox;
    const previous = this.#verdict;
    const verdict = this.#host.check(now, previous);
    const state = this.#host.isUp ? 'up' : 'down';
    const maintenanceUntil = (this.#maintenanceUntil ?? 0) > now ? this.#maintenanceUntil : null;
    outbox.followUptime(state, now);
    const steps = updateIncidents({
      host: 'a.example',
      verdict,
      previous,
      isUp: state === 'up',
      known: outbox.known(now),
      shared: [],
      renewals: [],
      maintenanceUntil,
      now,
      settings: { steps: this.#steps === null ? null : [...this.#steps], muted: this.#muted },
    });
    const alerts = outbox.apply(steps, now);
    this.#verdict = verdict;
    this.#recheckAt = steps.recheckAt;
    this.#guarantees.verify({
      now,
      verdict,
      previous,
      host: this.#host,
      outbox,
      alerts,
      muted: this.#muted,
      steps: this.#steps,
      isMaintained: maintenanceUntil !== null,
      rejoined: steps.changes.flatMap((change) => (change.kind === 'open' ? (change.incidentId ?? []) : [])),
    });
  }
}

const HISTORIES = 100_000;
const AT_ONCE = 10_000;

describe('alerts over random histories of a host', () => {
  // Each integer is one event: cheap to draw a hundred thousand times, and a failure still shrinks to the fewest events.
  const turns = fc.array(fc.nat(), { minLength: 2, maxLength: 14, size: 'max' });

  it.each(Array.from({ length: HISTORIES / AT_ONCE }, (_, index) => index))(
    'are never lost, repeated or wrong, and end with a resolved alert (part %i)',
    () => {
      fc.assert(
        fc.property(turns, ([first, ...drawn]) => {
          const history = new History(first ?? 0);
          for (const turn of drawn) history.play(turn);
        }),
        { numRuns: AT_ONCE },
      );
    },
    60_000,
  );
});
