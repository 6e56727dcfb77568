import { Feed } from 'feed';
import type { Hono } from 'hono';
import { CALLS } from '../../../contract/calls/calls.ts';
import {
  type StatusPageChoices as ChoicesWire,
  isReservedAddress,
  pageAddressSchema,
  type PublicStatus,
  type StatusPageChange,
  type StatusPageWire,
} from '../../../contract/status-page.ts';
import { displayName } from '../../core/endpoint.ts';
import { durationInTwoUnits } from '../../../contract/state/schedule.ts';
import { longInstant } from '../../core/long-date.ts';
import { onReplica } from '../../store/db/replica.ts';
import {
  findPublicPage,
  findStatusPage,
  isSlugFree,
  saveStatusPage,
  type StatusPage,
  type StatusPageChoices,
} from '../../store/publishing/status-pages.ts';
import { createAnswerCache, respondWithEtag } from '../http/answer-cache.ts';
import type { Api, AppParts } from '../http/api.ts';
import type { AppContext, AppEnv } from '../http/app-env.ts';
import { escapeHtml } from '../http/page-document.ts';
import { publicStatus } from './public-status.ts';
import { plainRefusal, refuse } from '../http/problem.ts';
import { refuseUnverified } from '../auth/verified-address.ts';
import { findMonitors } from '../../store/monitors/monitor-list.ts';

/** Time in ms for which the data of a page is cached, however many people read it. */
const CACHE_MS = 5_000;
const MAX_CACHED_CHARACTERS = 8_000_000;

const REFUSALS = {
  reserved: () => refuse('address_taken', 'This address is reserved. Choose another one.'),
  taken: () => refuse('address_taken', 'This address is already taken. Choose another one.'),
  incomplete: () => refuse('invalid_request', 'Give the page a title and an address first.'),
  noDomain: () => refuse('not_found', 'There is no such domain.'),
  noPage: () => refuse('not_found', 'There is no such page.'),
};

/** Serves the data and the feeds of public status pages, and registers the calls about their settings. */
export function statusRoutes(api: Api, parts: AppParts): void {
  const { store, limits, clock, config } = parts;
  settingsRoutes(api, parts);

  const cache = createAnswerCache<{ json: string; feed: string } | null>({
    clock,
    cacheMs: CACHE_MS,
    maxWeight: MAX_CACHED_CHARACTERS,
    weigh: (answer) => (answer ? answer.json.length + answer.feed.length : 1),
  });
  const respond = async (c: AppContext, slug: string, format: keyof typeof CONTENT_TYPES) => {
    const page = await findPublicPage(store, slug);
    if (page === null) return null;
    const { accountId, changedAt, listed } = page;
    const answer = await cache.get(`${accountId} ${changedAt}`, async () => {
      const choices = await findStatusPage(store, accountId);
      if (choices === null) return null;
      // Read the settings from the primary, because they must be current. The state of the domains may be some seconds old, so it
      // may come from a replica.
      const request = { accountId, choices, isPrivate: privateHosts(parts), now: clock.now() };
      const { status } = await publicStatus(onReplica(store), request);
      const address = new URL(`/status/${choices.slug}`, config.publicUrl);
      return {
        json: JSON.stringify({ data: status }),
        feed: statusFeed(status, { address, productName: config.productName, changedAt }),
      };
    });
    if (answer === null) return null;
    return respondWithEtag(c, answer[format], {
      contentType: CONTENT_TYPES[format],
      headers: { 'Cache-Control': 'public, no-cache', ...(!listed && { 'X-Robots-Tag': 'noindex' }) },
    });
  };
  api.on(
    CALLS.publicStatus,
    async ({ c, params }) => (await respond(c, params.slug, 'json')) ?? REFUSALS.noPage(),
  );
  api.app.get('/status/:slug/feed.atom', async (c) => {
    const limited = limits.allow('statusByAddress', c.get('client').network);
    if (limited) return plainRefusal(c, limited);
    const slug = pageAddressSchema.safeParse(c.req.param('slug')).data;
    const response = slug === undefined ? null : await respond(c, slug, 'feed');
    return response ?? plainRefusal(c, REFUSALS.noPage());
  });
}

const CONTENT_TYPES = { json: 'application/json', feed: 'application/atom+xml; charset=utf-8' };

const privateHosts =
  ({ policy }: Pick<AppParts, 'policy'>) =>
  (host: string) =>
    policy.isLocalName(host) || policy.opens(host);

/** Limits requests for the HTML of status pages, which `staticPageRoutes` serves, together with requests for their data. */
export function limitStatusPages(app: Hono<AppEnv>, { limits }: Pick<AppParts, 'limits'>): void {
  app.use('/status/*', async (c, next) => {
    const limited = limits.allow('statusByAddress', c.get('client').network);
    return limited ? plainRefusal(c, limited) : next();
  });
}

/** Registers the calls that set up and preview an account's page, and check whether an address is free. */
function settingsRoutes(api: Api, parts: AppParts): void {
  const { store, limits, config } = parts;

  api.on(CALLS.statusPage, async ({ session: { account } }) => ({
    data: await wire(account.id, await findStatusPage(store, account.id)),
  }));

  api.on(CALLS.saveStatusPage, async ({ session: { account }, body, now }) => {
    const limited =
      (isOnlyOff(body) ? null : refuseUnverified(account, 'statusPage', parts)) ??
      limits.allow('settingsByAccount', account.id);
    if (limited) return limited;
    if (body.slug !== undefined && isReservedAddress(body.slug)) return REFUSALS.reserved();
    const saved = await saveStatusPage(store, { accountId: account.id, change: changeOf(body), now });
    if (saved.ok) return { data: await wire(account.id, saved.page) };
    if (saved.code === 'not_found') return REFUSALS.noDomain();
    return saved.code === 'address_taken' ? REFUSALS.taken() : REFUSALS.incomplete();
  });

  api.on(CALLS.previewStatusPage, async ({ session: { account }, body, now }) => {
    const { status, privateNames } = await publicStatus(store, {
      accountId: account.id,
      choices: choicesOf(body),
      isPrivate: privateHosts(parts),
      now,
    });
    return { data: { ...status, private_names: privateNames } };
  });

  api.on(CALLS.pageAddress, async ({ session: { account }, query }) => {
    const parsed = pageAddressSchema.safeParse(query.slug);
    if (!parsed.success)
      return { data: { available: false, reason: parsed.error.issues[0]?.message ?? null } };
    if (isReservedAddress(parsed.data))
      return { data: { available: false, reason: REFUSALS.reserved().detail } };
    const isFree = await isSlugFree(store, { slug: parsed.data, accountId: account.id });
    return { data: { available: isFree, reason: isFree ? null : REFUSALS.taken().detail } };
  });

  async function wire(accountId: string, page: StatusPage | null): Promise<StatusPageWire> {
    const domains = page?.domains ?? [];
    const monitors = await findMonitors(store, { accountId, ids: domains.map(({ id }) => id) });
    const names = new Map(monitors.map((monitor) => [monitor.id, displayName(monitor)]));
    return {
      slug: page?.slug ?? null,
      url: page === null ? null : new URL(`/status/${page.slug}`, config.publicUrl).href,
      enabled: page?.enabled ?? false,
      listed: page?.listed ?? false,
      title: page?.title ?? '',
      shows: page?.shows ?? 'all',
      tags: page?.tags ?? [],
      domains: domains.map(({ id, label }) => ({ id, display_name: names.get(id) ?? '', label })),
      show_certificates: page?.showCertificates ?? true,
      show_uptime: page?.showUptime ?? true,
      show_incidents: page?.showIncidents ?? true,
    };
  }
}

/** Returns whether a change only switches the page off. Unverified accounts may always do that. */
const isOnlyOff = ({ enabled, ...rest }: StatusPageChange): boolean =>
  enabled === false && Object.values(rest).every((value) => value === undefined);

const choicesOf = (body: ChoicesWire): StatusPageChoices => ({
  title: body.title,
  shows: body.shows,
  tags: body.tags,
  domains: body.domains,
  showCertificates: body.show_certificates,
  showUptime: body.show_uptime,
  showIncidents: body.show_incidents,
});

/** Maps a change from wire format. Drops `undefined` fields, so that omitted settings stay as they are. */
function changeOf(body: StatusPageChange): Partial<StatusPage> {
  const { show_certificates, show_uptime, show_incidents, ...same } = body;
  const change = {
    ...same,
    showCertificates: show_certificates,
    showUptime: show_uptime,
    showIncidents: show_incidents,
  };
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}

/**
 * Renders the incidents of a status page as an Atom feed (RFC 4287). It has no entries if the page hides its incidents.
 * An incident keeps its id when it ends, so a feed reader shows the end as an update.
 */
function statusFeed(
  { title, incidents }: Pick<PublicStatus, 'title' | 'incidents'>,
  { address, productName, changedAt }: { address: URL; productName: string; changedAt: number },
): string {
  const entries = (incidents ?? []).map(({ id, name, started_at: startedAt, ended_at: endedAt }) => {
    const start = Date.parse(startedAt);
    const end = endedAt === null ? null : Date.parse(endedAt);
    return {
      id: `${address.href}#${id}`,
      link: address.href,
      title: escapeHtml(
        end === null ? `${name} is down` : `${name} was down for ${durationInTwoUnits(end - start)}`,
      ),
      description: escapeHtml(
        end === null ? `Since ${longInstant(start)}.` : `From ${longInstant(start)} to ${longInstant(end)}.`,
      ),
      published: new Date(start),
      date: new Date(end ?? start),
    };
  });
  const feed = new Feed({
    id: address.href,
    title,
    link: address.href,
    feedLinks: { atom: `${address.href}/feed.atom` },
    author: { name: productName },
    generator: productName,
    updated: new Date(Math.max(changedAt, ...entries.map(({ date }) => date.getTime()))),
    copyright: '',
  });
  for (const entry of entries) feed.addItem(entry);
  return feed.atom1();
}
