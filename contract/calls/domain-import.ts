import { importPreviewSchema, importResultSchema, importSchema } from '../domain-import.ts';
import { type Call, envelope } from './call.ts';

export const previewImport = {
  method: 'post',
  path: '/domain/import/preview',
  access: 'session',
  scope: 'read',
  cost: ['importByAccount'],
  summary: 'Preview the result of an import for each line; changes nothing',
  body: importSchema,
  response: envelope(importPreviewSchema),
  status: 200,
  problems: [],
} as const satisfies Call;

export const importDomains = {
  method: 'post',
  path: '/domain/import',
  access: 'session',
  scope: 'write',
  idempotent: true,
  cost: ['importByAccount'],
  summary: 'Add many domains; each gets its own result, without waiting for its first check',
  body: importSchema,
  response: envelope(importResultSchema),
  status: 200,
  problems: ['email_not_verified'],
} as const satisfies Call;
