import { createHash, randomBytes } from 'node:crypto';
import { CALLS } from '../../../contract/calls/calls.ts';
import { makeCalendar, readCalendar, removeCalendar } from '../../store/publishing/calendar-feeds.ts';
import type { Api, AppParts } from '../http/api.ts';
import { calendarText } from './calendar.ts';
import { refuse } from '../http/problem.ts';

/** Manages an account's secret calendar URL, and serves its calendar. */
export function calendarRoutes(api: Api, { store, limits, config }: AppParts): void {
  api.on(CALLS.makeCalendar, async ({ session: { account }, now }) => {
    const limited = limits.allow('alertSettingsByAccount', account.id);
    if (limited) return limited;
    const token = randomBytes(32).toString('base64url');
    await makeCalendar(store, { accountId: account.id, token, now });
    return { data: { url: new URL(`/api/calendar/${token}.ics`, config.publicUrl).href } };
  });

  api.on(CALLS.removeCalendar, async ({ session: { account } }) => {
    await removeCalendar(store, account.id);
    return { data: null };
  });

  api.on(CALLS.calendar, async ({ c, params, now }) => {
    const token = params.file.slice(0, -'.ics'.length);
    const limited = limits.allow('calendarByToken', createHash('sha256').update(token).digest('hex'));
    if (limited) return limited;
    const feed = await readCalendar(store, { token, now });
    if (feed === null) return refuse('not_found', 'There is no such calendar.');
    const { productName, publicUrl } = config;
    const text = calendarText(feed.domains, { productName, publicUrl, timeZone: feed.timeZone, now });
    const etag = `"${createHash('sha256').update(text).digest('base64url')}"`;
    const headers = { 'Cache-Control': 'private, max-age=300', ETag: etag };
    if (c.req.header('if-none-match') === etag) return c.body(null, 304, headers);
    return c.body(text, 200, {
      ...headers,
      'Content-Type': 'text/calendar; charset=utf-8',
      'Content-Disposition': 'inline; filename="certificates.ics"',
    });
  });
}
