import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { DAY_MS } from '../../contract/durations.ts';
import type { FarmStore } from '../scale/farm-store.ts';
import { LAST_MS, measureWindow, type Window } from './window.ts';

const START_MS = 1_000;

/** Lets the product check `checks` monitors from number `first` on, evenly over a window. @throws Error if it leaves some out */
export async function ownWindow(options: {
  world: FarmStore;
  pid: number;
  first: number;
  checks: number;
  seconds: number;
}): Promise<Window> {
  const { world, pid, first, checks, seconds } = options;
  const { db } = world.store;
  const from = Date.now() + START_MS;
  const { count } = await db
    .selectFrom('monitors')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  // After the last monitor, numbering starts again with the first.
  await sql`update monitors set next_check_at = case
      when (numbers.number - ${first} + ${count}) % ${count} < ${checks}
      then ${from} + ((numbers.number - ${first} + ${count}) % ${count}) * ${Math.floor((seconds * 1_000) / checks)}
      else ${from + DAY_MS} end
    from (select id, row_number() over (order by id) - 1 as number from monitors) as numbers
    where numbers.id = monitors.id`.execute(db);
  await delay(from - Date.now());
  const window = await measureWindow(pid, checks, () => delay(seconds * 1_000 + LAST_MS));
  const done = await db
    .selectFrom('monitors')
    .select((eb) => eb.fn.countAll<number>().as('done'))
    .where('last_checked_at', '>=', from)
    .where('uptime', '=', 'up')
    .executeTakeFirstOrThrow();
  if (done.done < checks * 0.98) throw new Error(`${done.done} of ${checks} checks were made`);
  return { ...window, checks: done.done };
}
