import type { PublicConfig } from '../../../contract/public-config.ts';

export interface Offer {
  /** Whether there are plans with different limits. */
  hasPlans: boolean;
  /** Whether Premium can be bought. */
  isSold: boolean;
  /** Whether anybody may sign up. */
  isOpen: boolean;
  /** Whether signing up can begin with a trial of Premium. */
  hasTrial: boolean;
}

/** What this deployment may promise to strangers. */
export function offerOf({ billing, signups }: Pick<PublicConfig, 'billing' | 'signups'>): Offer {
  const isSold = billing.mode === 'test' || billing.mode === 'paddle';
  const isOpen = signups === 'open';
  return { hasPlans: billing.mode !== 'none', isSold, isOpen, hasTrial: isSold && isOpen };
}
