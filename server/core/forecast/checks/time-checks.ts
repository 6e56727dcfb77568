import { DAY_MS } from '../../../../contract/durations.ts';
import type { RegistrationObservation } from '../../observation.ts';
import { oneLine } from '../../one-line.ts';
import { rulesOf } from '../../rules/dated-rules.ts';
import { othersHabit, ownHabit } from '../expected-day.ts';
import type { Forecast, ForecastCheck } from '../forecast.ts';
import { type CheckInput, general, grouped, type NameVerdict } from './check-input.ts';

/**
 * Returns whether a registration ends before the renewal. This only warns, because most registrations are renewed in their last days.
 */
export function checkRegistration({ context, expectedAt }: CheckInput): ForecastCheck[] {
  return grouped(
    'registration',
    context.registrations.flatMap((one) => {
      const verdict = judgeRegistration(one, expectedAt, context.now);
      return verdict === null ? [] : [{ name: 'domain' in one ? oneLine(one.domain) : null, verdict }];
    }),
  );
}

function judgeRegistration(
  registration: RegistrationObservation,
  expectedAt: number,
  now: number,
): NameVerdict | null {
  if (registration.outcome === 'not_found') return { state: 'warns', reason: 'not_found' };
  if (registration.outcome !== 'expires') return null;
  const { expiresAt } = registration;
  if (expiresAt > expectedAt) return { state: 'passes', reason: 'lasts', values: { expiresAt } };
  return { state: 'warns', reason: expiresAt <= now ? 'ended' : 'ends', values: { expiresAt } };
}

/** Returns when the renewal is expected. */
export function checkSchedule(
  { context }: CheckInput,
  { expectedAt, expectedBy }: Pick<Forecast, 'expectedAt' | 'expectedBy'>,
): ForecastCheck[] {
  const habit = ownHabit(context);
  const values = {
    expectedAt,
    ...(expectedBy === 'ari' && context.renewalWindow !== null ? { until: context.renewalWindow.end } : {}),
    ...(expectedBy === 'habit' && habit !== null
      ? { renewals: habit.renewals, days: Math.round(habit.days) }
      : {}),
  };
  return general('schedule', { state: 'passes', reason: expectedBy, values });
}

/**
 * Returns whether a renewal at the usual age would come too late for the next certificate, because that will be valid for fewer days (Baseline
 * Requirements §6.3.2, or the default of the CA).
 */
export function checkLifetime({ context, ca, expectedAt }: CheckInput): ForecastCheck[] {
  const { notBefore, notAfter } = context.certificate;
  const lifetimeDays = (notAfter - notBefore) / DAY_MS;
  const limits = [
    ...rulesOf('max_lifetime'),
    ...rulesOf('ca_lifetime').filter((rule) => rule.ca === ca?.name),
  ].filter(({ start, until }) => start <= expectedAt && (until === null || expectedAt < Date.parse(until)));
  const [rule] = limits.toSorted((left, right) => left.maxDays - right.maxDays);
  // Nothing changes if the certificate is already that short. Lifetimes may differ by seconds, so allow a day.
  if (rule === undefined || lifetimeDays <= rule.maxDays + 1) return [];
  const habit = ownHabit(context);
  const values = { days: rule.maxDays, lifetime: Math.round(lifetimeDays), rule: rule.id };
  // Renewals at different ages show no fixed timer. A timer at 90 % of the lifetime leaves no time for a second attempt.
  if (habit === null || habit.spreadDays > 5 || habit.days < rule.maxDays * 0.9)
    return general('lifetime', { state: 'passes', reason: 'shorter', values });
  return general('lifetime', {
    state: 'warns',
    reason: 'timer',
    values: { ...values, timer: Math.round(habit.days), renewals: habit.renewals },
  });
}

/** Returns whether the certificate should have been renewed by now: by the CA's window, its own habit, or that of the account's other certificates. */
export function checkOverdue({ context, expectedAt }: CheckInput): ForecastCheck[] {
  const { certificate, renewalWindow, now } = context;
  const age = (now - certificate.notBefore) / DAY_MS;
  // Clients run once or twice a day, so tolerate two days, or a tenth of a short lifetime.
  const tolerance = Math.min(2, (certificate.notAfter - certificate.notBefore) / DAY_MS / 10);
  const own = ownHabit(context);
  if (renewalWindow !== null) {
    // A client that ignores the window is late only by its own habit.
    const usual = certificate.notBefore + (own?.mostDays ?? 0) * DAY_MS;
    return now > Math.max(renewalWindow.end, usual) + tolerance * DAY_MS
      ? general('overdue', { state: 'warns', reason: 'ari', values: { until: renewalWindow.end } })
      : [];
  }
  if (own !== null) {
    const late = Math.max(own.mostDays, (expectedAt - certificate.notBefore) / DAY_MS) + tolerance;
    return own.renewals > 1 && age > late
      ? general('overdue', {
          state: 'warns',
          reason: 'own',
          values: { age: Math.floor(age), days: Math.round(own.days), renewals: own.renewals },
        })
      : [];
  }
  const others = othersHabit(context);
  if (others === null || age <= others.mostDays + tolerance) return [];
  return general('overdue', {
    state: 'warns',
    reason: 'others',
    values: { age: Math.floor(age), days: Math.round(others.days), renewals: others.renewals },
  });
}
