import { CALLS } from '../../../contract/calls/calls.ts';
import type { CertificateWire, CertificateStory as StoryWire } from '../../../contract/calls/certificate.ts';
import { daysLeft } from '../../../contract/state/badge.ts';
import { DAY_MS, HOUR_MS } from '../../../contract/durations.ts';
import { count, PAGE_SIZE } from '../../../contract/words.ts';
import { CSV_START, type CsvCell, csvRecord } from '../../core/csv.ts';
import { displayName, unicodeName } from '../../core/endpoint.ts';
import { oneLine } from '../../core/one-line.ts';
import { readExpected } from '../../core/pasted-certificates.ts';
import type { Targeted } from '../../core/target.ts';
import type { Verdict } from '../../core/verdict.ts';
import { expectCertificate } from '../../store/alerts/deployments.ts';
import { certificateStory, type CertificateStory } from '../../store/checks/certificate-story.ts';
import {
  type CertificateCursor,
  listServedCertificates,
  servedCertificate,
  type ServedCertificate,
} from '../../store/monitors/certificate-list.ts';
import { addressesOf } from '../../store/monitors/monitor-list.ts';
import { onReplica } from '../../store/db/replica.ts';
import type { Api, AppParts } from '../http/api.ts';
import { readCertificateCursor, readStoryCursor, writeCursor } from '../http/cursor.ts';
import { respondWithFile } from '../http/download.ts';
import { Refusal, refuse } from '../http/problem.ts';
import { filterOf } from './domain-list-routes.ts';
import { certificateStateOf, iso, isoOrNull, nextRenewalWire, renewalWire } from './domain-wire.ts';

/** Registers the calls that list, export and describe the certificates that an account's domains serve or should serve. */
export function certificateRoutes(api: Api, { store, answers }: AppParts): void {
  api.on(CALLS.listCertificates, async ({ c, query, session, now }) => {
    const { sort, direction, page, limit = PAGE_SIZE } = query;
    const accountId = session.account.id;
    const after = readCertificateCursor(query.cursor, sort);
    if (after instanceof Refusal) return after;
    return answers.respond(c, { call: CALLS.listCertificates, accountId, query }, async () => {
      const offset = after === null ? (page - 1) * limit : 0;
      const list = { accountId, ...filterOf(query), sort, direction, after, offset, limit, now };
      const { certificates, total, next } = await listServedCertificates(store, list);
      return {
        data: certificates.map((each) => certificateWire(each, now)),
        page: after === null ? page : null,
        page_size: limit,
        total,
        next_cursor: next && writeCursor(next),
      };
    });
  });

  api.on(CALLS.exportCertificates, async ({ c, query, session, now }) => {
    const accountId = session.account.id;
    const { sort, direction } = query;
    const list = { accountId, ...filterOf(query), sort, direction, now };
    return respondWithFile(c, {
      contentType: 'text/csv; charset=UTF-8; header=present',
      name: 'certlantern-certificates',
      extension: 'csv',
      text: certificatesCsv(onReplica(store), list),
      now,
    });
  });

  api.on(CALLS.expectCertificate, async ({ body, session, now }) => {
    const accountId = session.account.id;
    const dueAt = body.by === undefined ? now + DEFAULT_DEPLOYMENT_MS : Date.parse(body.by);
    if (dueAt < now || dueAt > now + MAX_DEPLOYMENT_MS)
      return refuse('invalid_request', '“by” must be a time within the next 30 days.');
    const read = readExpected(body.pem, now);
    if (!read.ok) return refuse('invalid_certificate', read.message);
    const { certificate } = read;
    const hosts = body.hosts?.map((host) => host.toLowerCase()) ?? null;
    const expected = { accountId, certificate, hosts, dueAt, now };
    const { total, lagging, full } = await expectCertificate(store, expected);
    if (full !== null) {
      const others = count(store.limits.expectationsPerDomain, 'other certificate');
      return new Refusal(
        'too_many_expectations',
        `${displayName(full)} waits for ${others} already. Deploy one of them or a later one there first.`,
        { limit: 'expectationsPerDomain' },
      );
    }
    if (total === 0)
      return refuse(
        'invalid_request',
        'You track no domain that this certificate is for. Add one first, or name hosts.',
      );
    const { fingerprint, subject } = certificate.facts;
    return {
      data: {
        fingerprint,
        subject,
        due_at: iso(dueAt),
        domain_count: total,
        waiting_count: lagging.length,
        waiting: lagging.slice(0, MAX_WAITING).map(servingDomain),
      },
    };
  });

  api.on(CALLS.certificateStory, async ({ params: { fingerprint }, query, session, now }) => {
    const key = { accountId: session.account.id, fingerprint };
    const { limit = PAGE_SIZE } = query;
    const after = readStoryCursor(query.cursor);
    if (after instanceof Refusal) return after;
    const story = await certificateStory(store, { ...key, after, limit });
    if (story === null) return refuse('not_found', 'No domain of yours has served this certificate.');
    const served = await servedCertificate(store, key);
    const ids = story.monitors.map(({ id }) => id);
    const addresses = await addressesOf(store, { accountId: key.accountId, ids });
    return {
      data: storyWire(story, served && certificateWire(served, now), addresses),
      next_cursor: story.next && writeCursor(story.next),
    };
  });
}

const DEFAULT_DEPLOYMENT_MS = HOUR_MS;
const MAX_DEPLOYMENT_MS = 30 * DAY_MS;
const MAX_WAITING = 100;

const MAX_NAMES = 10;

function certificateWire(served: ServedCertificate, now: number): CertificateWire {
  const { facts, monitor, problem } = served;
  const { verdict } = monitor;
  const { fingerprint } = facts;
  const isCurrent = monitor.certificate?.fingerprint === fingerprint;
  const seen = verdict?.lastSeen?.expiring.find((one) => one.fingerprint === fingerprint);
  return {
    fingerprint,
    subject: facts.subject,
    display_name: unicodeName(facts.subject || (facts.sans[0] ?? '')),
    names: facts.sans.slice(0, MAX_NAMES),
    name_count: facts.sans.length,
    issuer: facts.issuer,
    authority_name: facts.authorityName,
    valid_from: iso(facts.notBefore),
    expiry_date: iso(facts.notAfter),
    state: problem === 'revoked' ? problem : certificateStateOf({ certificate: facts, verdict: null }, now),
    renewal: renewalWire({ certificate: seen ?? facts, verdict: isCurrent ? verdict : null }),
    next_renewal: nextRenewalWire(served),
    problem,
    paused: served.isPaused,
    domain_count: served.monitorCount,
    domains: served.monitors.map(servingDomain),
    tags: served.tags,
  };
}

const servingDomain = ({ id, ...endpoint }: Targeted & { id: string }) => ({
  id,
  hostname: endpoint.host,
  port: endpoint.port,
  display_name: displayName(endpoint),
});

function storyWire(
  { facts, versions, versionCount, monitors, monitorCount, done, total }: CertificateStory,
  certificate: CertificateWire | null,
  addresses: ReadonlyMap<string, Verdict['addresses']>,
): StoryWire {
  return {
    certificate,
    names: facts.sans,
    domains: monitors.map((monitor) => ({
      ...servingDomain(monitor),
      serves: monitor.serves,
      is_serving: monitor.isServing,
      is_done: monitor.isDone,
      first_seen_at: isoOrNull(monitor.firstSeenAt),
      paused: monitor.isPaused,
      addresses: (addresses.get(monitor.id) ?? []).map((seen) => ({
        address: seen.address,
        serves: seen.fingerprint,
      })),
    })),
    domain_count: monitorCount,
    done,
    total,
    versions: versions.map((version) => ({
      fingerprint: version.fingerprint,
      issuer: version.issuer,
      valid_from: iso(version.notBefore),
      expiry_date: iso(version.notAfter),
      first_seen_at: iso(version.firstSeenAt),
      domain_count: version.monitorCount,
    })),
    version_count: versionCount,
  };
}

/** Columns of the CSV file. Text from certificates is cut to one short line. */
const COLUMNS: Record<string, (certificate: CertificateWire, now: number) => CsvCell> = {
  subject: ({ subject }) => oneLine(subject),
  state: ({ state }) => state,
  // Nobody checks whether the problem of a paused domain still exists, so the page does not show it either.
  problem: ({ problem, paused }) => (paused ? null : problem),
  days_left: ({ expiry_date: end }, now) => daysLeft(Date.parse(end), now),
  issuer: ({ issuer }) => oneLine(issuer),
  valid_from: (certificate) => certificate.valid_from,
  expiry_date: (certificate) => certificate.expiry_date,
  names: ({ names }) => oneLine(names.join(' ')),
  name_count: (certificate) => certificate.name_count,
  domains: ({ domains }) => domains.map(({ display_name: name }) => name).join(' '),
  domain_count: (certificate) => certificate.domain_count,
  tags: ({ tags }) => tags.join(', '),
  fingerprint: (certificate) => certificate.fingerprint,
  // Add new columns at the end, because programs may read columns by position.
  paused: (certificate) => certificate.paused,
};

const CSV_BATCH = 200;

/** Yields the header and one record per certificate of a CSV file. `now` is ms UTC. */
async function* certificatesCsv(
  store: AppParts['store'],
  list: Omit<Parameters<typeof listServedCertificates>[1], 'after' | 'limit'>,
): AsyncGenerator<string, void, undefined> {
  yield CSV_START + csvRecord(Object.keys(COLUMNS));
  let after: CertificateCursor | null = null;
  do {
    const page: Awaited<ReturnType<typeof listServedCertificates>> = await listServedCertificates(store, {
      ...list,
      after,
      limit: CSV_BATCH,
    });
    for (const served of page.certificates) {
      const certificate = certificateWire(served, list.now);
      yield csvRecord(Object.values(COLUMNS).map((cell) => cell(certificate, list.now)));
    }
    after = page.next;
  } while (after !== null);
}
