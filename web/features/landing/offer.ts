import type { PublicConfig } from '../../../contract/public-config.ts';

export interface Offer {
  /** There are plans with different limits. */
  hasPlans: boolean;
  /** Premium can be bought. */
  isSold: boolean;
  /** Anybody may sign up. */
  isOpen: boolean;
  /** A sign-up can start with a trial of Premium. */
  hasTrial: boolean;
}

/** Returns what this deployment offers to visitors. */
export function offerOf({ billing, signups }: Pick<PublicConfig, 'billing' | 'signups'>): Offer {
  const isSold = billing.mode === 'test' || billing.mode === 'paddle';
  const isOpen = signups === 'open';
  return { hasPlans: billing.mode !== 'none', isSold, isOpen, hasTrial: isSold && isOpen };
}
