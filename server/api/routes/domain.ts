import type { Api, AppParts } from '../api.ts';
import { domainAddRoute } from './domain-add.ts';
import { domainBulkRoute } from './domain-bulk.ts';
import { domainImportRoutes } from './domain-import.ts';
import { domainListRoutes } from './domain-list.ts';
import { domainReportRoutes } from './domain-report.ts';
import { domainUptimeRoute } from './domain-uptime.ts';
import { oneDomainRoutes } from './one-domain.ts';

/** Fixed addresses come first: `/domain/{id}` would take `/domain/list` for an id. */
export function domainRoutes(api: Api, parts: AppParts): void {
  domainListRoutes(api, parts);
  domainAddRoute(api, parts);
  domainBulkRoute(api, parts);
  domainImportRoutes(api, parts);
  domainUptimeRoute(api, parts);
  domainReportRoutes(api, parts);
  oneDomainRoutes(api, parts);
}
