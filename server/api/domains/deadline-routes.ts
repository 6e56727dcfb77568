import { CALLS } from '../../../contract/calls/calls.ts';
import type { DeadlineCertificateWire } from '../../../contract/calls/deadline.ts';
import { PAGE_SIZE } from '../../../contract/words.ts';
import { REPLACEMENT_WANTED } from '../../core/check/deadlines.ts';
import { CSV_START, type CsvCell, csvRecord } from '../../core/csv.ts';
import { displayName, unicodeName } from '../../core/endpoint.ts';
import { oneLine } from '../../core/one-line.ts';
import { dayStart } from '../../core/rules/dated-rule.ts';
import { DATED_RULES, ruleById } from '../../core/rules/dated-rules.ts';
import { ROOT_EXPIRES } from '../../core/findings/dates.ts';
import { describeRule } from '../../core/rules/deadline-words.ts';
import { onReplica } from '../../store/db/replica.ts';
import type { Store } from '../../store/db/open-store.ts';
import {
  type ConcernedCertificate,
  type DeadlineCursor,
  type DeadlineQuery,
  listDeadlines,
} from '../../store/monitors/deadline-list.ts';
import type { Api, AppParts } from '../http/api.ts';
import { readDeadlineCursor, writeCursor } from '../http/cursor.ts';
import { respondWithFile } from '../http/download.ts';
import { Refusal, refuse } from '../http/problem.ts';
import { deadlinesCalendar } from '../publishing/deadline-events.ts';
import { readDeadlines } from './deadlines.ts';
import { iso, isoOrNull } from './domain-wire.ts';

/** Registers the calls about dates from which rules concern certificates. */
export function deadlineRoutes(api: Api, { store, answers, config }: AppParts): void {
  api.on(CALLS.listDeadlines, async ({ c, session, now }) => {
    const accountId = session.account.id;
    return answers.respond(c, { call: CALLS.listDeadlines, accountId, query: {} }, async () => {
      return { data: await readDeadlines(store, { accountId, now }) };
    });
  });

  api.on(CALLS.deadlineCertificates, async ({ c, query, session, now }) => {
    const { page, limit = PAGE_SIZE, q } = query;
    const accountId = session.account.id;
    const after = readDeadlineCursor(query.cursor);
    if (after instanceof Refusal) return after;
    const of = rulesIn(query.rule);
    if (of === null) return refuseRule();
    return answers.respond(c, { call: CALLS.deadlineCertificates, accountId, query }, async () => {
      const offset = after === null ? (page - 1) * limit : 0;
      const list = { accountId, q, of, after, offset, limit, now };
      const { certificates, total, next } = await listDeadlines(store, list);
      return {
        data: certificates.map(certificateWire),
        page: after === null ? page : null,
        page_size: limit,
        total,
        next_cursor: next && writeCursor(next),
      };
    });
  });

  api.on(CALLS.exportDeadlines, async ({ c, query, session, now }) => {
    const of = rulesIn(query.rule);
    if (of === null) return refuseRule();
    return respondWithFile(c, {
      contentType: 'text/csv; charset=UTF-8; header=present',
      name: 'certlantern-deadlines',
      extension: 'csv',
      text: deadlinesCsv(onReplica(store), { accountId: session.account.id, q: query.q, of, now }),
      now,
    });
  });

  api.on(CALLS.deadlineCalendar, async ({ c, params, session, now }) => {
    const { deadlines } = await readDeadlines(store, { accountId: session.account.id, now });
    const wanted = deadlines.filter(({ rule }) => rule === params.rule);
    if (wanted.length === 0) return refuse('not_found', 'No certificate of yours has this deadline.');
    const { productName, publicUrl } = config;
    c.header('Content-Type', 'text/calendar; charset=utf-8');
    c.header('Content-Disposition', `attachment; filename="certlantern-${params.rule}.ics"`);
    return c.body(deadlinesCalendar(wanted, { productName, publicUrl }));
  });
}

const refuseRule = () => refuse('not_found', 'There is no such rule.');

/** Returns the rules to list: by default all but limits on lifetimes. Returns null for an unknown id. */
function rulesIn(id: string | undefined): DeadlineQuery['of'] | null {
  const undated = [REPLACEMENT_WANTED, ROOT_EXPIRES];
  if (id === undefined) return [...undated, ...DATED_RULES.map((rule) => rule.id)];
  if (undated.includes(id)) return [id];
  const rule = ruleById(id);
  if (rule === undefined) return null;
  return rule.kind === 'max_lifetime' ? { rule: id, fromAt: dayStart(rule.from), days: rule.maxDays } : [id];
}

function certificateWire(one: ConcernedCertificate): DeadlineCertificateWire {
  const { facts, domain } = one;
  return {
    rule: one.rule,
    date: iso(one.fromAt).slice(0, 10),
    title: describeRule(one.rule)?.title ?? 'The CA asked for a replacement',
    fingerprint: one.fingerprint,
    display_name: facts === null ? '' : unicodeName(facts.subject || (facts.sans[0] ?? '')),
    issuer: facts?.issuer ?? '',
    authority_name: facts?.authorityName ?? '',
    expiry_date: iso(one.notAfter),
    renewed_at: isoOrNull(one.doneAt),
    domain_count: one.domainCount,
    domain: domain && { id: domain.id, display_name: displayName(domain) },
  };
}

/** Columns of the CSV file. Text from certificates is cut to one short line. */
const COLUMNS: Record<string, (certificate: DeadlineCertificateWire) => CsvCell> = {
  date: ({ date }) => date,
  rule: ({ rule }) => rule,
  title: ({ title }) => title,
  certificate: ({ display_name: name }) => oneLine(name),
  renewed_at: (certificate) => certificate.renewed_at,
  expiry_date: (certificate) => certificate.expiry_date,
  issuer: ({ issuer }) => oneLine(issuer),
  domain: ({ domain }) => domain?.display_name ?? null,
  domain_count: (certificate) => certificate.domain_count,
  fingerprint: ({ fingerprint }) => fingerprint,
};

const CSV_BATCH = 200;

/** Yields the header and one record per rule and certificate of a CSV file. */
async function* deadlinesCsv(
  store: Store,
  list: Omit<DeadlineQuery, 'after' | 'limit'>,
): AsyncGenerator<string, void, undefined> {
  yield CSV_START + csvRecord(Object.keys(COLUMNS));
  let after: DeadlineCursor | null = null;
  do {
    const page: Awaited<ReturnType<typeof listDeadlines>> = await listDeadlines(store, {
      ...list,
      after,
      limit: CSV_BATCH,
    });
    for (const one of page.certificates) {
      const certificate = certificateWire(one);
      yield csvRecord(Object.values(COLUMNS).map((cell) => cell(certificate)));
    }
    after = page.next;
  } while (after !== null);
}
