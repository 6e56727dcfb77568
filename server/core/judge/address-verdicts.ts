import type { Answer } from './answers.ts';
import type { Observation } from '../observation.ts';
import type { AddressVerdict } from '../verdict.ts';

/** One row for each address, in the order of the resolution. */
export function addressVerdicts(observation: Observation, answers: readonly Answer[]): AddressVerdict[] {
  return observation.addresses.map((seen): AddressVerdict => {
    const { address, family, durationMs } = seen;
    if (seen.outcome === 'failed') {
      const { stage, reason } = seen;
      const nothing = { fingerprint: null, notAfter: null, tlsVersion: null, group: null };
      return { address, family, ...nothing, durationMs, failure: { stage, reason } };
    }
    const leaf = answers.find((answer) => answer.seen === seen)?.judged.leaf ?? null;
    return {
      address,
      family,
      fingerprint: leaf?.fingerprint ?? null,
      notAfter: leaf?.notAfter ?? null,
      tlsVersion: seen.tlsVersion,
      group: seen.group,
      durationMs,
      failure: null,
    };
  });
}
