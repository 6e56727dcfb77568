import type { DomainWire } from '../../../../contract/domain.ts';

/** A problem shown before the findings of the last certificate: the host is down, or the last check read no certificate. */
export interface StandingFinding {
  severity: 'critical' | 'warning';
  message: string;
  /** Down, confirmed by a second check; otherwise only the last check failed. */
  isDown: boolean;
  /** ISO 8601. */
  since: string;
}

/** Returns the problem, or null if the host is up and its certificate was read. `cause` is why it is down, if known. */
export function standingFinding(
  { uptime, unreachable, paused, display_name: name }: DomainWire,
  cause: string | null,
): StandingFinding | null {
  // A paused domain may be up again.
  const downSince = paused === null && uptime.state === 'down' ? uptime.down_since : null;
  if (downSince !== null) {
    const message = unreachable?.message ?? cause ?? `${name} is down.`;
    return { severity: 'critical', message, isDown: true, since: downSince };
  }
  if (unreachable === null) return null;
  return { severity: 'warning', message: unreachable.message, isDown: false, since: unreachable.since };
}
