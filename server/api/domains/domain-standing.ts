import { daysLeft } from '../../../contract/badge.ts';
import type { ShownDomain } from '../../../contract/status-page.ts';
import type { Monitor } from '../../store/monitors/monitors.ts';
import type { BadgeStanding } from '../publishing/badge-svg.ts';
import { seenState } from '../http/wire.ts';

type CertificateState = NonNullable<ShownDomain['certificate']>['state'];

/** What anybody may be told of the certificate last seen: the worst that is so; null where none was read yet. */
export function certificateState(
  monitor: Pick<Monitor, 'certificate' | 'verdict'>,
  now: number,
): CertificateState | null {
  const seen = seenState(monitor, now);
  if (seen === 'unread') return null;
  // What has expired or is revoked is not trusted for just that reason.
  if (seen === 'revoked' || seen === 'expired') return seen;
  const isRefused = monitor.verdict?.reached === true && !monitor.verdict.trusted;
  return isRefused ? 'untrusted' : seen;
}

/** In one word: what would turn a visitor away comes before what soon would. */
export function badgeStanding(monitor: Monitor, now: number): BadgeStanding {
  if (monitor.pausedBy !== null) return { state: 'paused' };
  const state = certificateState(monitor, now);
  if (state === 'revoked' || state === 'expired') return { state };
  if (monitor.uptime === 'down') return { state: 'down' };
  if (state === null || monitor.certificate === null) return { state: 'unknown' };
  if (state === 'untrusted') return { state };
  return { state: state === 'ok' ? 'valid' : state, daysLeft: daysLeft(monitor.certificate.notAfter, now) };
}
