import type { DatabaseName } from '../../../tests/kit/database.ts';
import type { Outcome } from '../outcome.ts';
import type { PlacesMap } from '../places.ts';

/** A link of two ends: the product's, and the world's. */
export const INSIDE = { device: 'cut0', address: '10.77.0.1' };
export const OUTSIDE = { device: 'cut1', address: '10.77.0.2' };

/** What the world beyond the link is asked for; it answers each with its `number`. */
export type WorldOrder = { number: number } & (
  | { kind: 'open'; now: number }
  | { kind: 'lead'; hosts: string[]; here: boolean }
  | { kind: 'clock'; now: number }
);
export interface WorldReport {
  number: number;
  map?: PlacesMap;
}

/** What is to be measured inside, as its argument, and what comes of it. */
export interface InsideOptions {
  databases: DatabaseName[];
  domains: number;
  seed: number;
}
export interface InsideReport {
  name: DatabaseName;
  outcome: Outcome;
}
