import { HOUR_MS, MINUTE_MS } from '../../../contract/durations.ts';
import type { Protocol } from '../../../contract/protocols.ts';
import { postureTestedAt } from '../judge/previous-verdict.ts';
import { POSTURE_PARTS, type PosturePart } from '../observation.ts';
import type { Verdict } from '../verdict.ts';

/** Age from which a part of the posture is tested again: less than a day, because daily checks come a little early. */
const POSTURE_EVERY_MS = 20 * HOUR_MS;
/** Shortest time between two posture probes of a server that may count failed handshakes: more than fail2ban's `findtime`, 10 minutes. */
export const POSTURE_APART_MS = 15 * MINUTE_MS;

/** A monitor of the endpoint. If `isRequested`, a user requested the check, so all parts are tested again. */
interface Watching {
  verdict: Verdict | null;
  isRequested: boolean;
}

/**
 * Returns the parts of the posture to test for some monitors of an endpoint, the one with the oldest result first; null if none is due.
 * They are due about once a day, or when requested, but not at the first check of a monitor, because a user waits for it.
 */
export function duePostureParts(
  monitors: readonly Watching[],
  { protocol, now }: { protocol: Protocol; now: number },
): readonly PosturePart[] | null {
  const postures = monitors.map(({ verdict, isRequested }) => ({
    posture: verdict?.posture ?? null,
    isRequested,
  }));
  if (monitors.some(({ verdict }) => verdict === null)) return null;
  const lastAt = Math.max(...postures.map(({ posture }) => posture?.at ?? 0));
  // Ignore a time in the future: the clock ran ahead then.
  if (protocol !== 'https' && Math.abs(now - lastAt) < POSTURE_APART_MS) return null;
  const testedAt = (part: PosturePart): number =>
    Math.min(
      ...postures.map(({ posture, isRequested }) =>
        posture && !isRequested ? (postureTestedAt(posture, part) ?? 0) : 0,
      ),
    );
  const due = POSTURE_PARTS.filter((part) => Math.abs(now - testedAt(part)) > POSTURE_EVERY_MS);
  return due.length === 0 ? null : due.toSorted((left, right) => testedAt(left) - testedAt(right));
}
