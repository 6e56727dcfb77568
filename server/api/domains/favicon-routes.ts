import { CALLS } from '../../../contract/calls.ts';
import { faviconOf } from '../../store/monitors/favicons.ts';
import type { Api, AppParts } from '../http/api.ts';
import { refuse } from '../http/problem.ts';

/** The icon of a watched site, out of what a worker fetched: the browser calls no host but ours. */
export function faviconRoutes(api: Api, { store }: AppParts): void {
  api.on(CALLS.domainFavicon, async ({ c, params, session }) => {
    const icon = await faviconOf(store, { accountId: session.account.id, monitorId: params.id });
    if (icon === null) return refuse('not_found', 'There is no icon.');
    const isVersioned = c.req.query('v') === icon.version;
    return c.body(Buffer.from(icon.content), 200, {
      'Content-Type': icon.contentType,
      'Cache-Control': `private, max-age=86400${isVersioned ? ', immutable' : ''}`,
      // A stranger's bytes, at our own origin.
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': "default-src 'none'; sandbox",
    });
  });
}
