import type { DomainWire } from '../../../contract/domain.ts';
import { inWords } from '../../lib/number-words.ts';

/** 'Paused by you', 'Paused: Free checks three domains' or 'Paused until you confirm it' */
export function pausedLine(by: NonNullable<DomainWire['paused']>, freeDomains: number): string {
  if (by === 'user') return 'Paused by you';
  if (by === 'unconfirmed') return 'Paused until you confirm it';
  return `Paused: Free checks ${inWords(freeDomains)} ${freeDomains === 1 ? 'domain' : 'domains'}`;
}
