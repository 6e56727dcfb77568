import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { MemoryOutbox } from '../../../tests/kit/alerting/memory-outbox.ts';
import {
  DAY,
  failedAddress,
  handshakeWith,
  HOST,
  intermediate,
  issue,
  NOW,
  observation,
  root,
  trustStore,
  withChain,
} from '../../../tests/kit/certificates/judging.ts';
import { postureAt } from '../../../tests/kit/product/observation.ts';
import { mintAuthority, type MintedCertificate } from '../../../tests/kit/certificates/mint.ts';
import { createTrustStore } from '../../pki/trust-store.ts';
import { judge } from '../judge/judge.ts';
import type { Observation, RegistrationObservation } from '../observation.ts';
import type { Verdict } from '../verdict.ts';
import type { RecordedCheck, SharedIncident } from './incident.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Creates a host that is checked over time. Each check returns the alerts that follow from it as "problem step". */
function watched(initialRoots = trustStore) {
  let roots = initialRoots;
  const outbox = new MemoryOutbox();
  let previous: Verdict | null = null;
  let now = NOW;
  let lasting: MintedCertificate[] | null = null;
  const record = (verdict: Verdict, more: Partial<RecordedCheck>) => {
    const alerts = outbox.recordCheck({ verdict, previous, now, ...more });
    previous = verdict;
    return alerts.map(({ incident, step }) => `${incident.problem} ${step}`);
  };
  return {
    outbox,
    wait(ms: number) {
      now += ms;
      return this;
    },
    shows(presented: readonly MintedCertificate[], more: Partial<RecordedCheck> = {}) {
      const seen = observation([handshakeWith(presented)], { observedAt: now });
      return record(judge(seen, now, roots, previous), more);
    },
    trusts(others: typeof trustStore) {
      roots = others;
      return this;
    },
    /** Shows a certificate that stays valid, and what else the check observes. */
    sees({ posture }: Pick<Observation, 'posture'>, more: Partial<RecordedCheck> = {}) {
      const chain = withChain(issue({ notBefore: now - DAY, notAfter: now + 80 * DAY }));
      const seen = observation([handshakeWith((lasting ??= chain))], {
        observedAt: now,
        posture: posture && { ...posture, at: now },
      });
      return record(judge(seen, now, trustStore, previous), more);
    },
    /** Shows a chain for the 90 s after which the end of a problem is confirmed. */
    keepsShowing(presented: readonly MintedCertificate[], more: Partial<RecordedCheck> = {}) {
      return [0, 30_000, MINUTE].flatMap((ms) => this.wait(ms).shows(presented, more));
    },
    isGone: (more: Partial<RecordedCheck> = {}) =>
      record(judge(observation([failedAddress()], { observedAt: now }), now, trustStore, previous), more),
  };
}

const ending = (days: number, more = {}) =>
  withChain(issue({ notBefore: NOW - (90 - days) * DAY, notAfter: NOW + days * DAY, ...more }));
const fresh = withChain(issue());

describe('an expiring certificate', () => {
  it('causes one alert at the exact time of each step, and after several missed steps only one for the latest', () => {
    const host = watched();
    const old = ending(22.5);
    expect(host.wait(-1).shows(old)).toEqual([]);
    expect(host.wait(1).shows(old)).toEqual(['expiry renewal_overdue']);
    expect(host.wait(HOUR).shows(old)).toEqual([]);
    expect(host.wait(20 * DAY).shows(old)).toEqual(['expiry three_days']);
    expect(host.wait(2 * DAY).shows(old)).toEqual(['expiry one_day']);
    expect(host.wait(DAY).shows(old)).toEqual(['expiry expired']);
  });

  it('causes alerts while the host is unreachable, with the time when the certificate was last seen', () => {
    const host = watched();
    host.shows(ending(8));
    expect(host.wait(2 * DAY).isGone()).toEqual(['expiry critical']);
    expect(host.outbox.sent.at(-1)?.alert.facts.asOf).toBe(NOW);
  });

  it('causes one resolved alert when it is renewed, and only after an expiry alert', () => {
    const host = watched();
    expect(host.keepsShowing(ending(60))).toEqual([]);
    expect(host.wait(40 * DAY).keepsShowing(withChain(issue({ notAfter: NOW + 120 * DAY })))).toEqual([]);
    const other = watched();
    expect(other.shows(ending(8))).toEqual(['expiry warning']);
    expect(other.wait(HOUR).shows(fresh)).toEqual([]);
    expect(other.wait(30_000).shows(fresh)).toEqual([]);
    // A check that reached no server says nothing about the certificate.
    expect(other.wait(MINUTE).isGone()).toEqual([]);
    expect(other.shows(fresh)).toEqual(['expiry resolved']);
    expect(other.wait(DAY).shows(fresh)).toEqual([]);
  });

  it('causes another alert when a renewal is rolled back, at most twice a week', () => {
    const host = watched();
    const old = ending(5);
    // Until eight checks in a row saw another leaf, a certificate that comes back counts as that of another server.
    const staysRenewed = () => Array.from({ length: 10 }, () => host.wait(HOUR).shows(fresh)).flat();
    const steps = [1, 2, 3].flatMap(() => [...host.wait(HOUR).keepsShowing(old), ...staysRenewed()]);
    // The rollback is also an unexpected change.
    expect(steps.filter((one) => one !== 'changed opened')).toEqual([
      'expiry critical',
      'expiry resolved',
      'expiry critical',
      'expiry resolved',
    ]);
    // A new step and the end are still reported.
    expect(host.wait(2 * DAY).keepsShowing(old)).toEqual(['expiry three_days']);
    expect(staysRenewed()).toEqual(['expiry resolved']);
  });

  it('causes no resolved alert if its replacement expires soon too', () => {
    const host = watched();
    host.shows(ending(5));
    expect(host.wait(MINUTE).shows(ending(12))).toEqual(['expiry warning']);
    expect(host.wait(MINUTE).keepsShowing(ending(12))).not.toContain('expiry resolved');
  });

  it('causes one expiry alert and none about a broken chain if it is an expired intermediate', () => {
    const tired = root.intermediate({
      commonName: 'Tired CA',
      notBefore: NOW - 900 * DAY,
      notAfter: NOW - DAY,
    });
    const leaf = tired.issue({
      dnsNames: ['pay.fjord.example'],
      notBefore: NOW - DAY,
      notAfter: NOW + 80 * DAY,
    });
    expect(watched().keepsShowing(withChain(leaf))).toEqual(['expiry expired']);
  });
});

describe('silencing alerts', () => {
  const old = ending(14);

  it('maintenance delays the alert of a step until the maintenance ends', () => {
    const host = watched();
    const until = { maintenanceUntil: NOW + HOUR };
    expect(host.shows(old, until)).toEqual([]);
    expect(host.wait(HOUR).shows(old)).toEqual(['expiry warning']);
  });

  it('the end of a snooze causes an alert for the latest missed step, even if the host is unreachable', () => {
    const host = watched();
    host.shows(old);
    const [incident] = host.outbox.incidents;
    if (incident) incident.snoozedUntil = NOW + 8 * DAY;
    expect(host.wait(7 * DAY).shows(old)).toEqual([]);
    expect(host.wait(DAY).isGone()).toEqual(['expiry critical']);
  });

  it('an acknowledgement lasts until expiry and does not hold back the resolved alert', () => {
    const host = watched();
    host.shows(old);
    const [incident] = host.outbox.incidents;
    if (incident) incident.acknowledgedAt = NOW;
    expect(host.wait(13 * DAY).shows(old)).toEqual([]);
    expect(host.wait(DAY).shows(old)).toEqual(['expiry expired']);
    expect(host.wait(HOUR).keepsShowing(withChain(issue({ notAfter: NOW + 90 * DAY })))).toEqual([
      'expiry resolved',
    ]);
  });

  it('a resolved alert that was muted is not sent after unmuting', () => {
    const host = watched();
    const muted = { settings: { steps: null, muted: ['good_news' as const] } };
    expect(host.shows(old, muted)).toEqual(['expiry warning']);
    expect(host.wait(HOUR).keepsShowing(fresh, muted)).toEqual([]);
    expect(host.wait(HOUR).shows(fresh)).toEqual([]);
  });
});

describe('a certificate that other domains serve too', () => {
  const sharedBy = (shown: readonly MintedCertificate[], change: Partial<SharedIncident> = {}) => ({
    id: 'shared',
    problem: 'expiry' as const,
    acknowledgedAt: null,
    snoozedUntil: null,
    fingerprint: createHash('sha256').update(shown[0]!.der).digest('hex'),
    notifiedSteps: ['critical' as const],
    lastStepAt: NOW,
    hasOthersOpen: true,
    othersServing: 1,
    choices: [],
    ...change,
  });

  it('causes no alert for a step that was sent for another domain, but one for the next step', () => {
    const host = watched();
    const old = ending(7);
    const shared = [sharedBy(old)];
    expect(host.wait(HOUR).shows(old, { shared })).toEqual([]);
    expect(host.outbox.incidents).toHaveLength(1);
    const other = watched();
    expect(other.wait(4 * DAY).shows(old, { shared })).toEqual(['expiry three_days']);
  });

  it('causes a resolved alert only when the last of its domains has replaced it', () => {
    for (const hasOthersOpen of [true, false]) {
      const host = watched();
      const old = ending(7);
      expect(host.shows(old)).toEqual(['expiry critical']);
      const shared = [sharedBy(old, { hasOthersOpen })];
      expect(host.keepsShowing(fresh, { shared })).toEqual(hasOthersOpen ? [] : ['expiry resolved']);
      expect(host.outbox.incidents[0]?.endedAt).not.toBeNull();
    }
  });
});

describe('a domain registration that ends', () => {
  const end = NOW + 61 * DAY;
  /** Creates a host. `shows` checks it once, with this answer of the registry about its domain, and returns the alerts. */
  function registered() {
    const host = watched();
    const shows = (registration: RegistrationObservation) =>
      host
        .sees({ posture: postureAt(NOW, { registration }) })
        .filter((alert) => alert.startsWith('registration'));
    const ends = (expiresAt: number) =>
      ({ outcome: 'expires', domain: 'example.org', expiresAt, registrar: null }) as const;
    return {
      host,
      shows,
      ends,
      /** Shows the same registration for the two minutes after which the end of a problem is confirmed. */
      keepsShowing: (registration: RegistrationObservation) => {
        return [0, MINUTE, MINUTE].flatMap((ms) => {
          host.wait(ms);
          return shows(registration);
        });
      },
    };
  }

  it('is reported 60, 30, 14, 7 and 1 days before its end, but not at its end', () => {
    const { host, shows, ends } = registered();
    const reported: string[] = [];
    for (let day = 0; day <= 65; day++) {
      reported.push(...shows(ends(end)));
      host.wait(DAY);
    }
    expect(reported).toEqual(['60d', '30d', '14d', '7d', '1d'].map((step) => `registration ${step}`));
  });

  it('is reported once as renewed when the registry shows a later end, even if it shows the old end again later', () => {
    const { host, shows, keepsShowing, ends } = registered();
    host.wait(40 * DAY);
    expect(shows(ends(end))).toEqual(['registration 30d']);
    host.wait(DAY);
    expect(keepsShowing(ends(end + 365 * DAY))).toEqual(['registration resolved']);
    host.wait(8 * DAY - HOUR);
    expect(shows(ends(end + 365 * DAY))).toEqual([]);
    host.wait(DAY);
    expect(shows(ends(end))).toEqual([]);
    host.wait(DAY);
    expect(shows(ends(end + 365 * DAY))).toEqual([]);
  });

  it('is reported according to the last known end date while the registry gives no answer', () => {
    const { host, shows, ends } = registered();
    expect(shows(ends(end))).toEqual([]);
    host.wait(2 * DAY);
    expect(shows({ outcome: 'unavailable', domain: 'example.org' })).toEqual(['registration 60d']);
  });

  it('is not reported if registration alerts are muted', () => {
    const { host } = registered();
    const registration = {
      outcome: 'expires',
      domain: 'example.org',
      expiresAt: end,
      registrar: null,
    } as const;
    host.wait(10 * DAY);
    const settings = { steps: null, muted: ['registration' as const] };
    expect(host.sees({ posture: postureAt(NOW, { registration }) }, { settings })).toEqual([]);
  });
});

describe('a day from which clients refuse a certificate', () => {
  const aging = mintAuthority({
    commonName: 'Aging Root',
    notBefore: NOW - DAY,
    notAfter: NOW + 61 * DAY - 1000,
  });
  const refused = [aging.issue({ dnsNames: [HOST], notBefore: NOW - DAY, notAfter: NOW + 150 * DAY })];
  const roots = createTrustStore([root.der, aging.der]);
  const about = (alerts: string[]) => alerts.filter((alert) => alert.startsWith('refused_from'));

  /** Checks a host once a day. Returns the alerts about the refusal, each with the day on which it was sent. */
  function daily(host: ReturnType<typeof watched>, days: number, more: Partial<RecordedCheck> = {}) {
    return Array.from({ length: days }, (_, day) => {
      const alerts = about(host.shows(refused, more)).map((alert) => `day ${day}: ${alert}`);
      host.wait(DAY);
      return alerts;
    }).flat();
  }

  it('is reported 60, 30 and 7 days before, but not on that day', () => {
    expect(daily(watched(roots), 70)).toEqual([
      'day 1: refused_from 60d',
      'day 31: refused_from 30d',
      'day 54: refused_from 7d',
    ]);
  });

  it('is reported once if the host is added later, and ends when the certificate is replaced', () => {
    const host = watched(roots);
    host.wait(40 * DAY);
    expect(about(host.shows(refused))).toEqual(['refused_from 30d']);
    const incident = host.outbox.incidents.find(({ problem }) => problem === 'refused_from');
    expect(incident?.facts.refusal?.from).toBe(NOW + 61 * DAY);
    host.wait(30 * DAY);
    expect(about(host.keepsShowing(refused))).toEqual([]);
    const next = withChain(issue({ notBefore: NOW, notAfter: NOW + 150 * DAY }));
    expect(about(host.keepsShowing(next))).toEqual(['refused_from resolved']);
  });

  it('is over once the clients accept the certificate again because its root was renewed', () => {
    const host = watched(roots);
    host.wait(40 * DAY);
    expect(about(host.shows(refused))).toEqual(['refused_from 30d']);
    host.wait(30 * DAY);
    expect(about(host.keepsShowing(refused))).toEqual([]);
    const renewed = { commonName: 'Aging Root', notBefore: NOW, notAfter: NOW + 900 * DAY };
    host.trusts(createTrustStore([root.der, mintAuthority({ ...renewed, key: aging.key }).der]));
    expect(about(host.keepsShowing(refused))).toEqual(['refused_from resolved']);
  });

  it('is not reported for a certificate that expires before it, nor if these alerts are muted', () => {
    const short = [aging.issue({ dnsNames: [HOST], notBefore: NOW - DAY, notAfter: NOW + 61 * DAY - 1000 })];
    const host = watched(roots);
    host.wait(50 * DAY);
    expect(about(host.shows(short))).toEqual([]);
    expect(daily(watched(roots), 62, { settings: { steps: null, muted: ['refused_from'] } })).toEqual([]);
  });
});

describe('changed alert steps', () => {
  it('cause no alert for steps that had passed before the last alert', () => {
    const host = watched();
    const old = ending(13);
    host.shows(old);
    const chosen = (...steps: ('20d' | '13d' | '2d')[]) => ({ settings: { steps, muted: [] } });
    expect(host.wait(HOUR).shows(old, chosen('20d', '13d', '2d'))).toEqual([]);
    expect(host.wait(11 * DAY).shows(old, chosen('20d', '2d'))).toEqual(['expiry 2d']);
  });

  it('still cause alerts if the CA moves its renewal window to a later time', () => {
    const host = watched();
    const [leaf] = ending(40);
    if (!leaf) throw new Error('nothing was issued');
    const window = (start: number, end: number) => ({
      renewal: [
        {
          fingerprint: leaf.fingerprint,
          at: NOW,
          outcome: 'window' as const,
          start,
          end,
          explanationUrl: null,
        },
      ],
    });
    let previous: Verdict | null = null;
    const check = (now: number, evidence: ReturnType<typeof window>) => {
      const seen = observation([handshakeWith(withChain(leaf))], { observedAt: now, ...evidence });
      const verdict = judge(seen, now, trustStore, previous);
      const alerts = host.outbox.recordCheck({ verdict, previous, now });
      previous = verdict;
      return alerts.map(({ step }) => step);
    };
    expect(check(NOW, window(NOW - 2 * DAY, NOW - DAY))).toContain('renewal_overdue');
    expect(check(NOW + 27 * DAY, window(NOW + 30 * DAY, NOW + 60 * DAY))).toContain('warning');
  });
});

describe('a problem that a second check has to confirm', () => {
  const wrong = withChain(
    intermediate.issue({ dnsNames: ['other.example'], notBefore: NOW - DAY, notAfter: NOW + 80 * DAY }),
  );

  it('can be a wrong name, which is alerted if a check 30 s later finds it again', () => {
    const host = watched();
    expect(host.shows(wrong)).toEqual([]);
    expect(host.wait(10_000).shows(wrong)).toEqual([]);
    expect(host.wait(20_000).shows(wrong)).toEqual(['wrong_name opened']);
    const moment = watched();
    expect(
      [moment.shows(wrong), moment.wait(30_000).shows(fresh), moment.wait(30_000).shows(fresh)].flat(),
    ).toEqual([]);
    expect(moment.outbox.openOf('wrong_name ')).toBeNull();
  });

  it('is confirmed and alerted once even if only every other check finds it', () => {
    const host = watched();
    host.shows(wrong);
    host.wait(30_000).shows(fresh);
    expect(host.wait(30_000).shows(wrong)).toEqual(['wrong_name opened']);
    expect([1, 2, 3, 4].flatMap((turn) => host.wait(30_000).shows(turn % 2 ? fresh : wrong))).toEqual([]);
  });

  it('can be an incomplete chain, which is alerted again when no client trusts it any more', () => {
    const host = watched();
    const leaf = issue({ caIssuersUrls: ['http://ca.fjord.example/1.cer'] });
    const authorities = [{ der: new Uint8Array(intermediate.der), source: 'cache' as const, url: null }];
    let previous: Verdict | null = null;
    const check = (ms: number, found: typeof authorities | []) => {
      const now = NOW + ms;
      const seen = observation([handshakeWith([leaf])], { observedAt: now, authorities: found });
      const verdict = judge(seen, now, trustStore, previous);
      const alerts = host.outbox.recordCheck({ verdict, previous, now });
      previous = verdict;
      return alerts.map(({ step, alert }) => [step, alert.severity]);
    };
    expect([check(0, authorities), check(30_000, authorities)].flat()).toEqual([['some_clients', 'warning']]);
    expect([check(DAY, []), check(DAY + 30_000, [])].flat()).toEqual([['opened', 'critical']]);
  });

  it('can be an unexpected change of certificate, but not a due renewal or alternating certificates', () => {
    const other = withChain(issue({ notAfter: NOW + 61 * DAY }));
    const host = watched();
    host.shows(fresh);
    expect(host.wait(HOUR).shows(other)).toEqual([]);
    expect(host.wait(30_000).shows(other)).toEqual(['changed opened']);
    expect(host.wait(HOUR).keepsShowing(other)).toEqual([]);
    const turns = watched();
    turns.shows(fresh);
    expect([1, 2, 3, 4, 5].flatMap((turn) => turns.wait(30_000).shows(turn % 2 ? other : fresh))).toEqual([]);
    for (const due of [ending(20), wrong]) {
      const expected = watched();
      expected.shows(due);
      expected.wait(30_000).shows(due);
      expect(expected.wait(HOUR).keepsShowing(other)).not.toContain('changed opened');
    }
  });
});
