import type { DomainWire } from '../../../../contract/domain.ts';

/** What stands before the findings of the last certificate: that the host cannot be reached, or is down. */
export interface StandingFinding {
  severity: 'critical' | 'warning';
  message: string;
  /** Down, as a second look agreed; else the last check alone did not reach it. */
  isDown: boolean;
  /** ISO 8601. */
  since: string;
}

/** `cause` is why it is down, where that is known; null where it is reached and up. */
export function standingFinding(
  { uptime, unreachable, paused, display_name: name }: DomainWire,
  cause: string | null,
): StandingFinding | null {
  // What is paused may be up again.
  const downSince = paused === null && uptime.state === 'down' ? uptime.down_since : null;
  if (downSince !== null) {
    const message = unreachable?.message ?? cause ?? `${name} is down.`;
    return { severity: 'critical', message, isDown: true, since: downSince };
  }
  if (unreachable === null) return null;
  return { severity: 'warning', message: unreachable.message, isDown: false, since: unreachable.since };
}
