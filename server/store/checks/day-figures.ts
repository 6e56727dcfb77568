import type { Transaction } from 'kysely';
import type { Uptime } from '../../core/check/uptime.ts';
import type { MonitorKey, Tables } from '../schema/tables.ts';
import type { MonitorDaysTable } from '../schema/check-tables.ts';
import { DAY_MS, HOUR_MS } from '../../../contract/durations.ts';
import { storedJson } from '../db/stored-json.ts';
import { z } from 'zod';

/** Totals of the checks of an hour or a day. `answered` counts the checks with a response time; response times are ms. */
export interface Figures {
  checks: number;
  up: number;
  down: number;
  unknown: number;
  answered: number;
  responseSum: number;
  responseMax: number;
}

const NO_FIGURES: Figures = {
  checks: 0,
  up: 0,
  down: 0,
  unknown: 0,
  answered: 0,
  responseSum: 0,
  responseMax: 0,
};

/** Figures of the current hour, which no row of `monitor_days` includes yet. */
export interface OpenHour {
  /** Start of the hour, ms UTC. */
  at: number;
  figures: Figures;
}

/**
 * Returns the figures of the current hour with the check added. `finished` is the previous hour if the check is the first of
 * another hour, else null.
 */
export function addCheckToHour(
  open: OpenHour | null,
  check: { at: number; state: Uptime; responseMs: number | null },
): { open: OpenHour; finished: OpenHour | null } {
  const at = Math.floor(check.at / HOUR_MS) * HOUR_MS;
  const isSame = open?.at === at;
  const before = isSame ? open.figures : NO_FIGURES;
  const answer = check.responseMs;
  const figures = plus(before, {
    ...NO_FIGURES,
    checks: 1,
    [check.state]: 1,
    ...(answer === null ? {} : { answered: 1, responseSum: answer, responseMax: answer }),
  });
  return { open: { at, figures }, finished: isSame ? null : open };
}

function plus(one: Figures, other: Figures): Figures {
  return {
    checks: one.checks + other.checks,
    up: one.up + other.up,
    down: one.down + other.down,
    unknown: one.unknown + other.unknown,
    answered: one.answered + other.answered,
    responseSum: one.responseSum + other.responseSum,
    responseMax: Math.max(one.responseMax, other.responseMax),
  };
}

const readHour = storedJson('figures of an hour', z.array(z.number()));

/** Returns the figures as the JSON text that the column `monitor_states.hour` stores. */
export const packHour = ({ figures }: OpenHour): string => JSON.stringify(Object.values(figures));

export function parseHour(row: { hour_at: number | null; hour: string | null }): OpenHour | null {
  if (row.hour_at === null || row.hour === null) return null;
  const [checks = 0, up = 0, down = 0, unknown = 0, answered = 0, responseSum = 0, responseMax = 0] =
    readHour(row.hour);
  return { at: row.hour_at, figures: { checks, up, down, unknown, answered, responseSum, responseMax } };
}

/** Response times (ms) of an hour with at least one answer. */
export interface HourlyResponseTimes {
  /** Start of the hour, ms UTC. */
  at: number;
  answered: number;
  responseSum: number;
  responseMax: number;
}

/**
 * Decodes the column `monitor_days.hours`. Each entry has the number of the hour in the day (from 0), the number of answers, and
 * the sum and maximum of their response times in ms.
 */
const readHours = storedJson(
  'hours of a day',
  z.array(z.tuple([z.number(), z.number(), z.number(), z.number()])),
);

export function hoursOf({
  day_at: dayAt,
  hours,
}: Pick<MonitorDaysTable, 'day_at' | 'hours'>): HourlyResponseTimes[] {
  return readHours(hours).map(([hour, answered, responseSum, responseMax]) => ({
    at: dayAt + hour * HOUR_MS,
    answered,
    responseSum,
    responseMax,
  }));
}

type DayFigures = Omit<MonitorDaysTable, 'account_id' | 'monitor_id'>;

/**
 * Returns the figures of the day with the hour added. After the clock was set back, the day may include this hour already; its
 * figures are then summed.
 */
export function withHour(day: DayFigures | undefined, { at, figures }: OpenHour): DayFigures {
  const dayAt = Math.floor(at / DAY_MS) * DAY_MS;
  const sum = day
    ? plus({ ...day, responseSum: day.response_sum, responseMax: day.response_max }, figures)
    : figures;
  const { responseSum, responseMax, ...counts } = sum;
  const { answered } = figures;
  const hours = day ? readHours(day.hours) : [];
  const number = (at - dayAt) / HOUR_MS;
  const known = hours.find(([hour]) => hour === number);
  if (known && answered > 0) {
    known[1] += answered;
    known[2] += figures.responseSum;
    known[3] = Math.max(known[3], figures.responseMax);
  } else if (answered > 0) hours.push([number, answered, figures.responseSum, figures.responseMax]);
  return {
    day_at: dayAt,
    checks: counts.checks,
    up: counts.up,
    down: counts.down,
    unknown: counts.unknown,
    answered: counts.answered,
    response_sum: responseSum,
    response_max: responseMax,
    hours: JSON.stringify(hours),
  };
}

/** Adds a finished hour to its row of `monitor_days`, in the transaction of the first check after that hour. */
export async function saveHour(
  trx: Transaction<Tables>,
  { accountId, monitorId }: MonitorKey,
  hour: OpenHour,
): Promise<void> {
  const ofDay = { account_id: accountId, monitor_id: monitorId };
  const day = await trx
    .selectFrom('monitor_days')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('monitor_id', '=', monitorId)
    .where('day_at', '=', Math.floor(hour.at / DAY_MS) * DAY_MS)
    .executeTakeFirst();
  const figures = withHour(day, hour);
  await trx
    .insertInto('monitor_days')
    .values({ ...ofDay, ...figures })
    .onConflict((conflict) => conflict.columns(['account_id', 'monitor_id', 'day_at']).doUpdateSet(figures))
    .execute();
}
