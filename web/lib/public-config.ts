import { createContext, useContext } from 'react';
import type { PublicConfig } from '../../contract/public-config.ts';

export const PublicConfigContext = createContext<PublicConfig | null>(null);

/** Returns the deployment's public settings; they do not change while the page is open. */
export function usePublicConfig(): PublicConfig {
  const config = useContext(PublicConfigContext);
  if (config === null) throw new Error('The page is not inside a PublicConfigContext');
  return config;
}
