import { queryOptions, useQuery } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { z } from 'zod';
import { DOMAINS_BEFORE_PROOF, FREE_DOMAIN_LIMIT, TRIAL_DAYS } from '../../contract/words.ts';
import { publicConfigSchema } from '../../contract/public-config.ts';
import type { PublicConfig } from '../../contract/public-config.ts';
import { errorOf, send } from './http.ts';
import { PUBLIC_CONFIG_KEY } from './query-client.ts';
import { toSnakeCase } from './wire-case.ts';

/** What the page assumes until `GET /config` has answered: a deployment that nobody has configured. */
const UNCONFIGURED: PublicConfig = {
  product_name: 'Certlantern',
  support_email: '',
  identity: { provider: 'built-in', oidc: [] },
  billing: { mode: 'unset' },
  analytics_id: null,
  signups: 'open',
  try_it: true,
  insecure_http: false,
  limits: {
    free_domains: FREE_DOMAIN_LIMIT,
    trial_days: TRIAL_DAYS,
    domains_before_proof: DOMAINS_BEFORE_PROOF,
  },
  demo_hosts: [],
};

const answerSchema = z.object({ data: publicConfigSchema });

async function fetchPublicConfig(signal: AbortSignal): Promise<PublicConfig> {
  const response = await send('/api/config', { signal });
  if (!response.ok) throw await errorOf(response);
  return answerSchema.parse(toSnakeCase(await response.json())).data;
}

const query = queryOptions({
  queryKey: [PUBLIC_CONFIG_KEY],
  queryFn: ({ signal }) => fetchPublicConfig(signal),
  staleTime: Infinity,
  gcTime: Infinity,
});

/** The settings that the server wrote into a page; null where it wrote none, or none that this page understands. */
export function readPublicConfig(json: string | undefined): PublicConfig | null {
  if (json === undefined) return null;
  try {
    return publicConfigSchema.parse(JSON.parse(json));
  } catch {
    return null;
  }
}

/** Spares asking for what is known. */
export function adoptPublicConfig(queryClient: QueryClient, config: PublicConfig): void {
  queryClient.setQueryData(query.queryKey, config);
}

/** The public settings of this deployment; they do not change while the page is open. */
export function usePublicConfig(): PublicConfig {
  const { data } = useQuery(query);
  return data ?? UNCONFIGURED;
}

/** For pages that would jump when the settings arrive after them. Settles too when they cannot be had. */
export async function preparePublicConfig(queryClient: QueryClient): Promise<void> {
  try {
    await queryClient.ensureQueryData({ ...query, retry: false });
  } catch {
    // The page asks again by itself, and says what it cannot do.
  }
}
