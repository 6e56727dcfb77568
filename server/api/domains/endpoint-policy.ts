import type { EndpointPolicy } from '../../core/index.ts';
import type { AppParts } from '../http/api.ts';

/** What hosts the deployment's policy lets people name. */
export function endpointPolicy({ policy }: Pick<AppParts, 'policy'>): EndpointPolicy {
  return {
    permitsAddress: (ip) => policy.permits(ip),
    permitsLocalNames: policy.permitsLocalNames,
  };
}
