import type { Api, AppParts } from '../http/api.ts';
import { domainAddRoute } from './domain-add-routes.ts';
import { domainBulkRoute } from './domain-bulk-routes.ts';
import { domainImportRoutes } from './domain-import-routes.ts';
import { domainListRoutes } from './domain-list-routes.ts';
import { domainReportRoutes } from './domain-report-routes.ts';
import { domainUptimeRoute } from './domain-uptime-routes.ts';
import { oneDomainRoutes } from './one-domain-routes.ts';

/** Registers fixed paths first. `/domain/{id}` would otherwise match `/domain/list`. */
export function domainRoutes(api: Api, parts: AppParts): void {
  domainListRoutes(api, parts);
  domainAddRoute(api, parts);
  domainBulkRoute(api, parts);
  domainImportRoutes(api, parts);
  domainUptimeRoute(api, parts);
  domainReportRoutes(api, parts);
  oneDomainRoutes(api, parts);
}
