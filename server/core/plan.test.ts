import { describe, expect, it } from 'vitest';
import { CHECK_FREQUENCIES, FREE_DOMAIN_LIMIT } from '../../contract/words.ts';
import { spec } from '../../tests/spec/spec.ts';
import {
  blockingSubscription,
  chargeableSubscriptions,
  effectiveFrequency,
  endedSource,
  entitlement,
  entitlementAt,
  followRefund,
  isStaleReport,
  mayAdd,
  mayResume,
  mayUseFrequency,
  NOT_ENTITLED,
  PAST_DUE_GRACE_MS,
  pastDueSince,
  type PlanFacts,
  refundTime,
  remainingDomains,
  splitForFree,
  type Subscription,
} from './plan.ts';

const NOW = Date.UTC(2026, 0, 15);
const DAY = 86_400_000;

describe('plans', () => {
  it('allow adding up to three domains on Free and any number on Premium', () => {
    expect([0, 2, 3, 4].map((count) => mayAdd('free', count))).toEqual([true, true, false, false]);
    expect(mayAdd('free', FREE_DOMAIN_LIMIT - 1)).toBe(true);
    expect(mayAdd('free', FREE_DOMAIN_LIMIT)).toBe(false);
    expect(mayAdd('premium', 100_000)).toBe(true);
    expect([0, 2, 3, 4].map((count) => remainingDomains('free', count))).toEqual([3, 1, 0, 0]);
    expect(remainingDomains('premium', 100_000)).toBeNull();
  });

  it('allow up to three running domains on Free and any number on Premium', () => {
    expect([0, 2, 3, 4].map((active) => mayResume('free', active))).toEqual([true, true, false, false]);
    expect(mayResume('premium', 100_000)).toBe(true);
  });

  it('allow exactly the intervals that the pages offer', () => {
    for (const { minutes, premium } of CHECK_FREQUENCIES) {
      expect(mayUseFrequency('premium', minutes)).toBe(true);
      expect(mayUseFrequency('free', minutes)).toBe(!premium);
      expect(effectiveFrequency('premium', minutes)).toBe(minutes);
      expect(effectiveFrequency('free', minutes)).toBe(1440);
    }
    spec('6.04', 'Free checks once a day');
    expect([0, 1, 30, -10, Number.NaN].some((minutes) => mayUseFrequency('premium', minutes))).toBe(false);
  });
});

describe('the entitlement in effect', () => {
  const stored = { plan: 'premium', status: 'active', source: 'grant', endsAt: NOW } as const;
  const at = (now: number, everyonePremium = false) => entitlementAt({ everyonePremium }, stored, now);

  it('ends at its end time, even before a worker has recorded the end', () => {
    expect(at(NOW - 1)).toEqual(stored);
    expect(at(NOW)).toEqual(NOT_ENTITLED);
    expect(entitlementAt({ everyonePremium: false }, { ...stored, endsAt: null }, NOW).plan).toBe('premium');
  });

  it('is Premium without end if the deployment gives it to everyone', () => {
    expect(at(NOW, true)).toEqual({ plan: 'premium', status: 'active', source: 'deployment', endsAt: null });
  });
});

describe('the end of Premium', () => {
  it('pauses all but the three oldest running domains', () => {
    expect(splitForFree(['a', 'b', 'c', 'd', 'e'])).toEqual({ kept: ['a', 'b', 'c'], paused: ['d', 'e'] });
    expect(splitForFree(['a'])).toEqual({ kept: ['a'], paused: [] });
  });

  it('is attributed to the source that ended, or to a deployment that no longer gives Premium to everyone', () => {
    expect(endedSource({ plan: 'premium', source: 'trial' }, 0)).toBe('trial');
    expect(endedSource({ plan: 'free', source: 'none' }, 2)).toBe('deployment');
    expect(endedSource({ plan: 'free', source: 'none' }, 0)).toBeNull();
  });
});

describe('a payment event', () => {
  const known = { status: 'active', pastDueSince: null, reportedAt: NOW } as const;

  it('is stale if it is older than the last one or revives a cancelled subscription', () => {
    expect(isStaleReport(known, { status: 'paused', occurredAt: NOW - 1 })).toBe(true);
    expect(isStaleReport(known, { status: 'paused', occurredAt: NOW })).toBe(false);
    const canceled = { ...known, status: 'canceled' } as const;
    expect(isStaleReport(canceled, { status: 'active', occurredAt: NOW + 1 })).toBe(true);
    expect(isStaleReport(canceled, { status: 'canceled', occurredAt: NOW + 1 })).toBe(false);
  });

  it('sets the time since which payment is past due, which later past-due events do not change', () => {
    const late = { status: 'past_due', occurredAt: NOW + DAY } as const;
    expect(pastDueSince(null, late)).toBe(NOW + DAY);
    expect(pastDueSince(known, late)).toBe(NOW + DAY);
    expect(pastDueSince({ ...known, status: 'past_due', pastDueSince: NOW }, late)).toBe(NOW);
    expect(
      pastDueSince({ ...known, status: 'past_due', pastDueSince: NOW }, { ...late, status: 'active' }),
    ).toBe(null);
  });
});

describe('a refund', () => {
  const refund = { refunded: true, refundedAt: NOW, occurredAt: NOW };
  const none = { refundedAt: null, reportedAt: null };

  it('is dated within the period that was refunded', () => {
    expect(refundTime(NOW, null)).toBe(NOW);
    expect(refundTime(NOW, NOW + DAY)).toBe(NOW);
    expect(refundTime(NOW, NOW)).toBe(NOW - 1);
  });

  it('takes effect until it is reversed', () => {
    const after = followRefund(none, refund);
    expect(after).toEqual({ refundedAt: NOW, reportedAt: NOW });
    const reversal = { ...refund, refunded: false, occurredAt: NOW + 1 };
    expect(after && followRefund(after, reversal)).toEqual({ refundedAt: null, reportedAt: NOW + 1 });
  });

  it('a refund of an earlier period leaves a refund of a later period in effect', () => {
    const later = { refundedAt: NOW, reportedAt: NOW };
    for (const refunded of [true, false])
      expect(followRefund(later, { refunded, refundedAt: NOW - DAY, occurredAt: NOW })).toEqual(later);
  });

  it('is stale if it is older than the last event, unless it may refund a later period', () => {
    expect(followRefund({ refundedAt: null, reportedAt: NOW + 1 }, refund)).toBeNull();
    const before = { refundedAt: NOW - DAY, reportedAt: NOW + 1 };
    expect(followRefund(before, { ...refund, refunded: false })).toBeNull();
    expect(followRefund(before, refund)).toEqual({ refundedAt: NOW, reportedAt: NOW + 1 });
  });
});

describe('a subscription', () => {
  const of = (change: Partial<Subscription>, now = NOW) =>
    entitlement(facts({ subscriptions: [subscription(change)] }), now);

  it.each(['active', 'trialing'] as const)(
    'a subscription that is %s gives Premium without a known end',
    (status) => {
      expect(of({ status })).toEqual({ plan: 'premium', status, source: 'subscription', endsAt: null });
      // The event about the renewal may arrive late, so the end of the period alone does not end Premium.
      expect(of({ status, periodEndsAt: NOW - DAY })).toMatchObject({ plan: 'premium', endsAt: null });
    },
  );

  it.each(['paused', 'canceled'] as const)('a subscription that is %s gives no Premium', (status) => {
    expect(of({ status })).toEqual(NOT_ENTITLED);
    expect(of({ status, cancelsAt: NOW + DAY })).toEqual(NOT_ENTITLED);
  });

  it('gives Premium exactly until its planned end', () => {
    const cancelsAt = NOW + 10 * DAY;
    for (const status of ['active', 'trialing'] as const) {
      expect(of({ status, cancelsAt })).toMatchObject({ plan: 'premium', status, endsAt: cancelsAt });
      expect(of({ status, cancelsAt }, cancelsAt - 1).plan).toBe('premium');
      expect(of({ status, cancelsAt }, cancelsAt)).toEqual(NOT_ENTITLED);
    }
  });

  it('a subscription with a failed payment gives Premium for 14 days, or until its planned end', () => {
    const pastDueSince = NOW - 4 * DAY;
    const late = { status: 'past_due', pastDueSince } as const;
    expect(PAST_DUE_GRACE_MS).toBe(14 * DAY);
    expect(of(late)).toEqual({
      plan: 'premium',
      status: 'past_due',
      source: 'subscription',
      endsAt: NOW + 10 * DAY,
    });
    expect(of({ ...late, cancelsAt: NOW + 2 * DAY }).endsAt).toBe(NOW + 2 * DAY);
    expect(of({ ...late, cancelsAt: NOW + 20 * DAY }).endsAt).toBe(NOW + 10 * DAY);
    expect(of(late, NOW + 10 * DAY)).toEqual(NOT_ENTITLED);
    expect(of({ status: 'past_due', pastDueSince: null })).toEqual(NOT_ENTITLED);
  });

  it('a subscription that was refunded gives no Premium until another period is paid', () => {
    for (const status of ['active', 'trialing', 'past_due'] as const) {
      const paid = { status, pastDueSince: NOW, periodStartsAt: NOW - 5 * DAY };
      expect(of({ ...paid, refundedAt: NOW - DAY })).toEqual(NOT_ENTITLED);
      expect(of({ ...paid, refundedAt: NOW - 5 * DAY })).toEqual(NOT_ENTITLED);
      expect(of({ ...paid, refundedAt: NOW - 6 * DAY }).plan).toBe('premium');
      expect(of({ ...paid, refundedAt: NOW - 6 * DAY, periodStartsAt: null })).toEqual(NOT_ENTITLED);
    }
  });
});

describe('a grant and a trial', () => {
  it('give Premium until they end', () => {
    const endsAt = NOW + DAY;
    const grant = facts({ grant: { endsAt } });
    const trial = facts({ trialEndsAt: endsAt });
    const premium = { plan: 'premium', endsAt };
    expect(entitlement(grant, NOW)).toEqual({ ...premium, status: 'active', source: 'grant' });
    expect(entitlement(trial, NOW)).toEqual({ ...premium, status: 'trialing', source: 'trial' });
    for (const ended of [grant, trial]) expect(entitlement(ended, endsAt)).toEqual(NOT_ENTITLED);
  });

  it('give Premium without end if the grant has no end', () => {
    const grant = facts({ grant: { endsAt: null } });
    expect(entitlement(grant, NOW + 100_000 * DAY)).toMatchObject({ plan: 'premium', endsAt: null });
  });
});

describe('the entitlement from several sources', () => {
  it('is Free without any source', () => expect(entitlement(facts({}), NOW)).toEqual(NOT_ENTITLED));

  /**
   * Ends of a source in days: absent (undefined), past, early, late, or never (null). If ends are equal, a subscription
   * precedes a grant, and a grant precedes a trial.
   */
  const ENDS = [undefined, -1, 1, 2, null] as const;
  const cases = ENDS.flatMap((paid) =>
    ENDS.flatMap((granted) => ENDS.filter((end) => end !== null).map((tried) => ({ paid, granted, tried }))),
  );
  const instant = (days: number | null) => days && NOW + days * DAY;

  it.each(cases)(
    'comes from the source that lasts longest (days left; null has no end): subscription $paid, grant $granted, trial $tried',
    (days) => {
      const { paid, granted, tried } = days;
      const found = entitlement(
        {
          subscriptions: paid === undefined ? [] : [subscription({ cancelsAt: instant(paid) })],
          grant: granted === undefined ? null : { endsAt: instant(granted) },
          trialEndsAt: tried === undefined ? null : instant(tried),
        },
        NOW,
      );
      const length = (end: number | null | undefined) => (end === undefined ? -1 : (end ?? 1_000));
      const longest = Math.max(length(paid), length(granted), length(tried));
      if (longest < 0) return expect(found).toEqual(NOT_ENTITLED);
      const source =
        longest === length(paid) ? 'subscription' : longest === length(granted) ? 'grant' : 'trial';
      expect(found).toMatchObject({
        plan: 'premium',
        source,
        status: source === 'trial' ? 'trialing' : 'active',
        endsAt: longest === 1_000 ? null : instant(longest),
      });
    },
  );

  it('comes from the subscription that lasts longest, in any order', () => {
    const late = subscription({ status: 'past_due', pastDueSince: NOW - DAY });
    const others = [late, subscription({ status: 'canceled' }), subscription({ refundedAt: NOW })];
    const running = subscription({});
    for (const subscriptions of [
      [running, ...others],
      [...others, running],
    ])
      expect(entitlement(facts({ subscriptions }), NOW)).toMatchObject({ status: 'active', endsAt: null });
    expect(entitlement(facts({ subscriptions: others }), NOW).status).toBe('past_due');
  });
});

describe('running subscriptions', () => {
  const idsOf = (subscriptions: { id: string }[]) => subscriptions.map(({ id }) => id);

  it('are listed oldest first, in whatever order they are reported', () => {
    const [older, newer] = [stored('b'), { ...stored('a'), createdAt: NOW }];
    expect(idsOf(chargeableSubscriptions([newer, older], NOW))).toEqual(['b', 'a']);
    expect(idsOf(chargeableSubscriptions([stored('b'), stored('a')], NOW))).toEqual(['a', 'b']);
  });

  it('are listed with the subscription that gives Premium first', () => {
    const idle = [
      stored('paused', { status: 'paused' }),
      stored('late', { status: 'past_due', pastDueSince: NOW - 15 * DAY }),
      stored('refunded', { refundedAt: NOW }),
    ];
    const paid = { ...stored('paid'), createdAt: NOW };
    expect(chargeableSubscriptions([...idle, paid], NOW)[0]?.id).toBe('paid');
  });

  it('do not include subscriptions that have ended', () => {
    const over = [stored('a', { status: 'canceled' }), stored('b', { cancelsAt: NOW })];
    expect(chargeableSubscriptions(over, NOW)).toEqual([]);
    expect(idsOf(chargeableSubscriptions([stored('c', { cancelsAt: NOW + 1 })], NOW))).toEqual(['c']);
  });

  it('block a purchase unless they were refunded', () => {
    expect(blockingSubscription([], NOW)).toBeNull();
    expect(blockingSubscription([stored('a', { status: 'canceled' })], NOW)).toBeNull();
    expect(blockingSubscription([stored('a', { refundedAt: NOW })], NOW)).toBeNull();
    for (const status of ['active', 'trialing', 'past_due', 'paused'] as const)
      expect(blockingSubscription([stored('a', { status })], NOW)?.id).toBe('a');
  });
});

function facts(change: Partial<PlanFacts>): PlanFacts {
  return { trialEndsAt: null, grant: null, subscriptions: [], ...change };
}

function subscription(change: Partial<Subscription>): Subscription {
  return {
    status: 'active',
    periodStartsAt: NOW - 5 * DAY,
    periodEndsAt: NOW + 25 * DAY,
    cancelsAt: null,
    pastDueSince: null,
    refundedAt: null,
    ...change,
  };
}

function stored(id: string, change: Partial<Subscription> = {}) {
  return { id, createdAt: NOW - 40 * DAY, ...subscription(change) };
}
