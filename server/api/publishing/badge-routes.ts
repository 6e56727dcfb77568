import type { Hono } from 'hono';
import { randomBytes } from 'node:crypto';
import { CALLS } from '../../../contract/calls/calls.ts';
import { enableBadge, findBadge, findMonitorByBadge, removeBadge } from '../../store/publishing/badges.ts';
import { findMonitor } from '../../store/monitors/monitors.ts';
import { respondWithEtag } from '../http/answer-cache.ts';
import type { Api, AppParts } from '../http/api.ts';
import type { AppEnv } from '../http/app-env.ts';
import { badgeSvg } from './badge-svg.ts';
import { badgeState } from './public-status.ts';
import { DOMAIN_REFUSALS } from '../domains/domain-refusals.ts';
import { plainRefusal, refuse } from '../http/problem.ts';

/** Length of a badge's token in bytes: 128 random bits, so that nobody can guess it. */
const TOKEN_BYTES = 16;
const FILE = /^([A-Za-z0-9_-]{22})\.svg$/;

/** Registers the calls by which the owner of a domain gets its badge's URL and switches the badge on and off. */
export function badgeRoutes(api: Api, { store, config }: AppParts): void {
  const urlOf = (token: string) => new URL(`/badge/${token}.svg`, config.publicUrl).href;
  const owned = async (accountId: string, id: string) =>
    (await findMonitor(store, { accountId, monitorId: id }))?.id ?? null;

  api.on(CALLS.domainBadge, async ({ params, session: { account } }) => {
    const monitorId = await owned(account.id, params.id);
    if (monitorId === null) return DOMAIN_REFUSALS.notFound();
    const token = await findBadge(store, { accountId: account.id, monitorId });
    return { data: token === null ? null : { url: urlOf(token) } };
  });

  api.on(CALLS.makeBadge, async ({ params, session: { account }, now }) => {
    const monitorId = await owned(account.id, params.id);
    if (monitorId === null) return DOMAIN_REFUSALS.notFound();
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    return {
      data: { url: urlOf(await enableBadge(store, { accountId: account.id, monitorId, token, now })) },
    };
  });

  api.on(CALLS.removeBadge, async ({ params, session: { account } }) => {
    const monitorId = await owned(account.id, params.id);
    if (monitorId === null) return DOMAIN_REFUSALS.notFound();
    await removeBadge(store, { accountId: account.id, monitorId });
    return { data: null };
  });
}

/** Serves `GET /badge/<token>.svg` to anybody, for embedding in other sites. */
export function badgeImageRoutes(
  app: Hono<AppEnv>,
  { store, clock }: Pick<AppParts, 'store' | 'clock'>,
): void {
  app.get('/badge/:file', async (c) => {
    const token = FILE.exec(c.req.param('file'))?.[1];
    const monitor = token === undefined ? null : await findMonitorByBadge(store, token);
    if (monitor === null) return plainRefusal(c, refuse('not_found', 'There is no such badge.'));
    return respondWithEtag(c, badgeSvg(badgeState(monitor, clock.now())), {
      contentType: 'image/svg+xml; charset=utf-8',
      headers: {
        // Browsers revalidate each time, so a removed badge disappears at once and the state is current.
        'Cache-Control': 'public, no-cache',
        'Cross-Origin-Resource-Policy': 'cross-origin',
        'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        'X-Robots-Tag': 'noindex',
      },
    });
  });
}
