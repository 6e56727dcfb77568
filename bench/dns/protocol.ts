export const LIVING_NAMES = 600;
export const DEAD_NAMES = 12;

export const livingName = (index: number): string => `n${index}.bench.test`;
/** The name servers of its zone are silent. */
export const deadName = (index: number): string => `dead${index}.bench.test`;

/** What a round came to. Milliseconds from when a name was due to its answer, of the names that do answer. */
export interface DnsRound {
  way: 'resolver' | 'dns.lookup';
  withDead: boolean;
  p50: number;
  p99: number;
  longest: number;
  failed: number;
}
