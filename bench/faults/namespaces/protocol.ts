import type { DatabaseName } from '../../../tests/kit/database.ts';
import type { Outcome } from '../outcome.ts';
import type { PlacesMap } from '../places.ts';

/** Both ends of the network link: the product's and the outside's. */
export const INSIDE = { device: 'cut0', address: '10.77.0.1' };
export const OUTSIDE = { device: 'cut1', address: '10.77.0.2' };

/** Request to the outside process, which answers with the same `number`. */
export type WorldOrder = { number: number } & (
  | { kind: 'open'; now: number }
  | { kind: 'lead'; hosts: string[]; here: boolean }
  | { kind: 'clock'; now: number }
);
export interface WorldReport {
  number: number;
  map?: PlacesMap;
}

/** Command-line argument of the inside process, as JSON. */
export interface InsideOptions {
  databases: DatabaseName[];
  domains: number;
  seed: number;
}
export interface InsideReport {
  name: DatabaseName;
  outcome: Outcome;
}
