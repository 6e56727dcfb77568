import type { Limits } from '../../core/index.ts';
import type { AppContext } from './app-env.ts';
import { plainRefusal, problemResponse, Refusal } from './problem.ts';

/**
 * Refuses a request whose path, without its query, has more bytes than `pathBytes`; returns null for every other one. It measures the
 * target as it was sent: nothing has parsed or decoded the path before.
 */
export function refuseLongPath(c: AppContext, { pathBytes }: Pick<Limits, 'pathBytes'>): Refusal | null {
  const target = c.env?.incoming?.url ?? new URL(c.req.url).pathname;
  const query = target.indexOf('?');
  if ((query === -1 ? target.length : query) <= pathBytes) return null;
  return new Refusal('path_too_long', `The limit of ${pathBytes} bytes for a path is reached.`, {
    limit: 'pathBytes',
  });
}

/** Answers a refusal as a problem below /api, and as text everywhere else. */
export const refusalResponse = (c: AppContext, refusal: Refusal): Response =>
  isBelowApi(c.req.path) ? problemResponse(c, refusal) : plainRefusal(c, refusal);

export const isBelowApi = (path: string): boolean => path === '/api' || path.startsWith('/api/');

/** Returns whether the last part of a path looks like the name of a file and not of a page. */
export const namesFile = (path: string): boolean => path.lastIndexOf('.') > path.lastIndexOf('/');
