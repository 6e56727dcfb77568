import type { DatabaseName } from '../../kit/databases/database.ts';
import type { Outcome } from '../outcome.ts';
import type { InternetAddresses } from '../fake-internet.ts';

/** End of the network link in the product's namespace. */
export const INSIDE = { device: 'cut0', address: '10.77.0.1' };
/** End of the network link in the namespace of the hosts. */
export const OUTSIDE = { device: 'cut1', address: '10.77.0.2' };

/** Order to the process `outside.ts`, which replies with the same `number`. */
export type WorldOrder = { number: number } & (
  | { kind: 'open'; now: number }
  | { kind: 'pointNames'; hosts: string[]; isUp: boolean }
  | { kind: 'clock'; now: number }
);
export interface WorldReport {
  number: number;
  addresses?: InternetAddresses;
}

/** Command-line argument of `inside.ts`, as JSON. */
export interface InsideOptions {
  databases: DatabaseName[];
  domains: number;
  seed: number;
}
export interface InsideReport {
  name: DatabaseName;
  outcome: Outcome;
}
