import type { DomainWire } from '../../../contract/domain.ts';
import { inWords } from '../../lib/number-words.ts';

/** 'Paused by you' or 'Paused: Free checks three domains' */
export function pausedLine(by: NonNullable<DomainWire['paused']>, freeDomains: number): string {
  if (by === 'user') return 'Paused by you';
  return `Paused: Free checks ${inWords(freeDomains)} ${freeDomains === 1 ? 'domain' : 'domains'}`;
}
