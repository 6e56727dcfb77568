import type { PublicConfig } from '../../../contract/public-config.ts';

export interface Offer {
  /** True if there are plans with different limits. */
  hasPlans: boolean;
  /** True if Premium can be bought. */
  isSold: boolean;
  /** True if anybody may sign up. */
  isOpen: boolean;
  /** True if a sign-up can start with a trial of Premium. */
  hasTrial: boolean;
}

/** Returns what this deployment offers to visitors. */
export function offerOf({ billing, signups }: Pick<PublicConfig, 'billing' | 'signups'>): Offer {
  const isSold = billing.mode === 'test' || billing.mode === 'paddle';
  const isOpen = signups === 'open';
  return { hasPlans: billing.mode !== 'none', isSold, isOpen, hasTrial: isSold && isOpen };
}
