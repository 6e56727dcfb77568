import type { DomainWire } from '../../../../contract/domain.ts';

/** A problem shown above the findings of the last certificate: the host is down, or the last check read no certificate. */
export interface StandingFinding {
  severity: 'critical' | 'warning';
  message: string;
  /** True if the host is down, confirmed by a second check; false if only the last check failed. */
  isDown: boolean;
  /** Start of the problem, ISO 8601. */
  since: string;
}

/** Returns the problem; null if the host is up and its certificate was read. `cause` says why the host is down, if that is known. */
export function standingFinding(
  { uptime, unreachable, paused, display_name: name }: DomainWire,
  cause: string | null,
): StandingFinding | null {
  // A paused domain may be up again, so it is not reported as down.
  const downSince = paused === null && uptime.state === 'down' ? uptime.down_since : null;
  if (downSince !== null) {
    const message = unreachable?.message ?? cause ?? `${name} is down.`;
    return { severity: 'critical', message, isDown: true, since: downSince };
  }
  if (unreachable === null) return null;
  return { severity: 'warning', message: unreachable.message, isDown: false, since: unreachable.since };
}
