import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { CALLS } from '../../../contract/calls.ts';
import type { AppContext, AppEnv } from './app-env.ts';
import { problemResponse, refuse } from './problem.ts';

const ORDINARY_KILOBYTES = 64;
/** A hundred lines with notes of 2,000 characters, which take three bytes each in many scripts. */
const IMPORT_KILOBYTES = 1_024;
const IMPORTS = new Set([CALLS.previewImport, CALLS.importDomains].map(({ path }) => `/api${path}`));

/** Refuses bodies that are longer than their call needs. */
export function bodyLimits(): MiddlewareHandler<AppEnv> {
  const [ordinary, ofImports] = [atMost(ORDINARY_KILOBYTES), atMost(IMPORT_KILOBYTES)];
  return (c, next) => (IMPORTS.has(c.req.path) ? ofImports : ordinary)(c, next);
}

const atMost = (kilobytes: number) =>
  bodyLimit({
    maxSize: kilobytes * 1024,
    onError: (c) => problemResponse(c as AppContext, refuse('too_large', `Send less than ${kilobytes} kB.`)),
  });
