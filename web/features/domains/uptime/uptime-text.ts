import type { DomainWire } from '../../../../contract/domain.ts';
import { percentText } from '../../../ui/uptime-strip-geometry.ts';

/** The share of the time beside the strip; a dash until it is known whether the domain is up at all. */
export function uptimeText({ state, percent, checks }: DomainWire['uptime']): string {
  return percentText(state === null ? null : percent, checks);
}
