import { Feed } from 'feed';
import type { PublicStatus } from '../../../contract/status-page.ts';
import { duration, longInstant } from '../../core/long-date.ts';
import { escapeHtml } from '../http/page-document.ts';

/**
 * Renders the incidents of a status page as an Atom feed (RFC 4287). It has no entries if the page hides its incidents.
 * An incident keeps its id when it ends, so a feed reader shows the end as an update.
 */
export function statusFeed(
  { title, incidents }: Pick<PublicStatus, 'title' | 'incidents'>,
  { address, productName, changedAt }: { address: URL; productName: string; changedAt: number },
): string {
  const entries = (incidents ?? []).map(({ id, name, started_at: startedAt, ended_at: endedAt }) => {
    const start = Date.parse(startedAt);
    const end = endedAt === null ? null : Date.parse(endedAt);
    return {
      id: `${address.href}#${id}`,
      link: address.href,
      title: escapeHtml(end === null ? `${name} is down` : `${name} was down for ${duration(end - start)}`),
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
