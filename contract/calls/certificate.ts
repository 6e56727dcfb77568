import {
  certificateCsvQuerySchema,
  certificateListSchema,
  certificateQuerySchema,
  certificateStorySchema,
  fingerprintParams,
} from '../certificate.ts';
import { type Call, wrapped } from './call.ts';

export const listCertificates = {
  method: 'get',
  path: '/certificate/list',
  access: 'session',
  scope: 'read',
  summary: 'List the certificates that the domains serve, each once, paginated by cursor',
  query: certificateQuerySchema,
  response: certificateListSchema,
  status: 200,
  problems: [],
} as const satisfies Call;

export const exportCertificates = {
  method: 'get',
  path: '/certificate/export',
  access: 'session',
  scope: 'read',
  summary: 'Export the matching certificates as CSV; cells are escaped so that spreadsheets run no formulas',
  query: certificateCsvQuerySchema,
  response: null,
  mediaType: 'text/csv',
  status: 200,
  problems: [],
} as const satisfies Call;

export const certificateStory = {
  method: 'get',
  path: '/certificate/{fingerprint}',
  access: 'session',
  scope: 'read',
  summary: 'Get a certificate, its predecessors, and which domains have changed to it',
  params: fingerprintParams,
  response: wrapped(certificateStorySchema),
  status: 200,
  problems: ['not_found'],
} as const satisfies Call;
