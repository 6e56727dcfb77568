import { createContext, useContext } from 'react';

/** Why the offer opens: asked for, or because the Free plan holds no more domains. */
export type UpgradeReason = 'wish' | 'limit';

export interface Upgrade {
  /** Whether Premium can be bought on this deployment. */
  isSold: boolean;
  /** Opens the offer; only where something is sold. */
  open: (reason: UpgradeReason) => void;
}

export const UpgradeContext = createContext<Upgrade | null>(null);

/** Only below a protected route. */
export function useUpgrade(): Upgrade {
  const upgrade = useContext(UpgradeContext);
  if (!upgrade) throw new Error('useUpgrade is for protected routes');
  return upgrade;
}
