export const LIVING_NAMES = 600;
export const DEAD_NAMES = 12;

export const livingName = (index: number): string => `n${index}.bench.test`;
/** Returns a name for which the name server never answers. */
export const deadName = (index: number): string => `dead${index}.bench.test`;

/** Result of a round. Times are ms between the moment a query was due and its answer; dead names are not counted. */
export interface DnsRound {
  way: 'resolver' | 'reader' | 'dns.lookup';
  withDead: boolean;
  p50: number;
  p99: number;
  longest: number;
  failed: number;
}
