import type { Api, AppParts } from '../api.ts';
import { domainAddRoute } from './domain-add.ts';
import { domainListRoutes } from './domain-list.ts';
import { oneDomainRoutes } from './one-domain.ts';

/** Fixed addresses come first: `/domain/{id}` would take `/domain/list` for an id. */
export function domainRoutes(api: Api, parts: AppParts): void {
  domainListRoutes(api, parts);
  domainAddRoute(api, parts);
  oneDomainRoutes(api, parts);
}
