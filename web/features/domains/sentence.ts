import { daysLeft } from '../../../contract/badge.ts';
import type { SummaryWire } from '../../../contract/domain.ts';
import { dayAndMonth } from './day-and-month.ts';
import { inWords, inWordsCapitalised } from '../../lib/number-words.ts';

/** A stretch of text; host names stand out. */
export interface Phrase {
  text: string;
  isHost: boolean;
}

export interface DashboardSentence {
  headline: string;
  /** The second line: sentences, worst first, each in phrases to be set one after the other. */
  detail: Phrase[][];
}

interface Input {
  summary: SummaryWire;
  /** The plan's limit, where it has one: it is told beside the number of domains. */
  limit: number | null;
  now: number;
}

/** What the dashboard says first: what to do, by when, and of which host. */
export function dashboardSentence({ summary, limit, now }: Input): DashboardSentence {
  const situation = situationOf(summary);
  const headline = headlineOf(situation, now);
  const detail = detailOf(situation, now);
  const { paused } = summary.counts;
  if (paused > 0 && !headline.endsWith(' paused'))
    detail.push([plain(`${inWordsCapitalised(paused)} ${domains(paused)} ${isOrAre(paused)} paused.`)]);
  if (limit !== null) detail.push([plain(planLine(summary.total, limit))]);
  return { headline, detail };
}

type Expiry = SummaryWire['expiries'][number];
type Problem = SummaryWire['problems'][number];

interface Situation {
  counts: SummaryWire['counts'];
  expiries: readonly Expiry[];
  untrusted: readonly Problem[];
  /** Untrusted ones that the counts hold as well dated. */
  untrustedInDate: number;
  down: readonly Problem[];
  /** Without those that are known to be down. */
  unreachable: readonly Problem[];
  /** `unread` ones may lie beyond what `problems` carries. */
  unreachableCount: number;
}

/** Counts short-lived certificates as fine while their renewal is on schedule: their badge is red from the first day on. */
function withoutOnSchedule({ counts, on_schedule: { critical, soon }, expiries }: SummaryWire) {
  return {
    counts: {
      ...counts,
      critical: counts.critical - critical,
      soon: counts.soon - soon,
      ok: counts.ok + critical + soon,
    },
    expiries: expiries.map((expiry): Expiry => (expiry.on_schedule ? { ...expiry, state: 'ok' } : expiry)),
  };
}

function situationOf(summary: SummaryWire): Situation {
  const { problems } = summary;
  const { counts, expiries } = withoutOnSchedule(summary);
  // What is paused is not looked at: what was wrong with it may not be so any more.
  const current = problems.filter(({ state }) => state !== 'paused');
  const untrusted = current.filter(({ kind }) => kind === 'untrusted');
  const unreachable = current.filter(({ kind }) => kind === 'unreachable');
  const down = current.filter(({ kind }) => kind === 'down');
  const dated = unreachable.filter(({ state }) => state !== 'unread').length;
  const downUnread = down.filter(({ state }) => state === 'unread').length;
  return {
    counts,
    expiries,
    untrusted,
    untrustedInDate: untrusted.filter(({ state }) => state === 'ok' || state === 'soon').length,
    down,
    unreachable,
    unreachableCount: counts.unread - downUnread + dated,
  };
}

function headlineOf(situation: Situation, now: number): string {
  const { counts, expiries, untrusted, untrustedInDate, down, unreachable, unreachableCount } = situation;
  const broken = counts.expired + counts.revoked + untrustedInDate;
  const urgent = broken + counts.critical;
  if (urgent > 1) {
    const title = `${inWordsCapitalised(urgent)} certificates`;
    if (counts.expired === urgent) return `${title} have expired`;
    if (counts.revoked === urgent) return `${title} are revoked`;
    if (untrustedInDate === urgent) return `${title} are not trusted`;
    return `${title} need attention ${counts.critical > 0 ? 'this week' : 'now'}`;
  }
  if (counts.expired === 1) return `${nameOf(expiries, 'expired') ?? 'One certificate'} has expired`;
  if (counts.revoked === 1)
    return `The certificate of ${nameOf(expiries, 'revoked') ?? 'one domain'} is revoked`;
  if (untrustedInDate === 1) {
    const host = untrusted.find(({ state }) => state !== 'critical')?.display_name;
    return `The certificate of ${host ?? 'one domain'} is not trusted`;
  }
  if (counts.critical === 1) return `One certificate needs attention ${within(expiries, 'critical', now)}`;
  if (down.length === 1) return `${down[0]?.display_name ?? 'One domain'} is down`;
  if (down.length > 1) return `${inWordsCapitalised(down.length)} domains are down`;
  if (counts.soon === 1) return `One certificate needs attention ${within(expiries, 'soon', now)}`;
  if (counts.soon > 1)
    return `${inWordsCapitalised(counts.soon)} certificates need attention within two weeks`;
  if (unreachableCount === 1) return `${unreachable[0]?.display_name ?? 'One domain'} could not be read`;
  if (unreachableCount > 1) return `${inWordsCapitalised(unreachableCount)} domains could not be read`;
  return calmHeadline(counts);
}

function calmHeadline({ ok, pending, paused }: Situation['counts']): string {
  if (paused > 0) return headlineWithPaused({ ok, pending, paused });
  if (ok === 0)
    return pending === 1
      ? 'Reading the certificate of one domain'
      : `Reading the certificates of ${inWords(pending)} domains`;
  const lead = pending > 0 ? 'So far, ' : '';
  if (ok === 1) return pending > 0 ? 'So far, one certificate is fine' : 'Your certificate is fine';
  const all = ok === 2 ? 'both certificates' : `all ${inWords(ok)} certificates`;
  return `${capitalised(`${lead}${all}`)} are fine`;
}

/** "All" is said of everything that is tracked, and so never where some of it is paused. */
function headlineWithPaused({ ok, pending, paused }: Record<'ok' | 'pending' | 'paused', number>): string {
  if (ok + pending === 0) {
    if (paused === 1) return 'Your domain is paused';
    return paused === 2 ? 'Both domains are paused' : `All ${inWords(paused)} domains are paused`;
  }
  const rest = `${inWords(paused)} ${domains(paused)} ${isOrAre(paused)} paused`;
  if (ok === 0)
    return `${inWordsCapitalised(pending)} ${domains(pending)} ${isOrAre(pending)} being read, ${rest}`;
  const fine = `${inWords(ok)} ${ok === 1 ? 'certificate is' : 'certificates are'} fine`;
  return capitalised(`${pending > 0 ? 'so far, ' : ''}${fine}, ${rest}`);
}

/** At most three sentences, worst first, that add hosts, dates and reasons to the headline. */
function detailOf(situation: Situation, now: number): Phrase[][] {
  const { counts, expiries, untrusted, untrustedInDate, down, unreachable, unreachableCount } = situation;
  const urgent = counts.expired + counts.critical + counts.revoked + untrustedInDate;
  const sentences: Phrase[][] = [];

  const expired = expiries.find(({ state }) => state === 'expired');
  if (expired) sentences.push([host(expired), plain(` expired on ${dayAndMonth(expired.not_after, now)}.`)]);
  const revoked = expiries.find(({ state }) => state === 'revoked');
  if (revoked && urgent > 1) sentences.push([host(revoked), plain(' is revoked.')]);

  const [firstDown] = down;
  if (firstDown && urgent === 0) sentences.push(reasonOf(firstDown));
  else if (firstDown && down.length === 1) sentences.push([host(firstDown), plain(' is down.')]);
  else if (firstDown) sentences.push([plain(`${inWordsCapitalised(down.length)} domains are down.`)]);

  if (untrusted[0]) sentences.push(reasonOf(untrusted[0]));

  const headlineIsReach = urgent + counts.soon + down.length === 0 && unreachableCount > 0;
  const unread = unreachableCount === 1 ? unreachable[0] : undefined;
  if (headlineIsReach && unread) sentences.push(reasonOf(unread));

  const next =
    expiries.find(({ state }) => state === 'critical' || state === 'soon') ??
    expiries.find(({ state }) => state === 'ok');
  if (next) {
    const date = dayAndMonth(next.not_after, now);
    if (expired) sentences.push([plain('Next is '), host(next), plain(` on ${date}.`)]);
    else if (next.state === 'ok')
      sentences.push([plain('Next to expire is '), host(next), plain(` on ${date}.`)]);
    else sentences.push([host(next), plain(` expires on ${date}.`)]);
  }

  if (!headlineIsReach && unread) sentences.push(reasonOf(unread));
  else if (!headlineIsReach && unreachableCount > 0) {
    const count = inWordsCapitalised(unreachableCount);
    sentences.push([plain(`${count} ${domains(unreachableCount)} could not be read.`)]);
  }

  if (counts.pending > 0 && sentences.length === 0) {
    sentences.push([plain('The first check takes a few seconds.')]);
  } else if (counts.pending > 0) {
    const subject = `${inWordsCapitalised(counts.pending)} ${domains(counts.pending)}`;
    sentences.push([
      plain(`${subject} ${counts.pending === 1 ? 'is' : 'are'} being checked for the first time.`),
    ]);
  }
  return sentences.slice(0, 3);
}

function within(expiries: readonly Expiry[], state: Expiry['state'], now: number): string {
  const expiry = expiries.find((candidate) => candidate.state === state);
  if (!expiry) return state === 'critical' ? 'this week' : 'within two weeks';
  const days = Math.max(0, daysLeft(Date.parse(expiry.not_after), now));
  if (days === 0) return 'within a day';
  return days === 1 ? 'in one day' : `in ${inWords(days)} days`;
}

function nameOf(expiries: readonly Expiry[], state: Expiry['state']): string | undefined {
  return expiries.find((expiry) => expiry.state === state)?.display_name;
}

const plain = (text: string): Phrase => ({ text, isHost: false });
const host = ({ display_name }: { display_name: string }): Phrase => ({ text: display_name, isHost: true });
const domains = (count: number): string => (count === 1 ? 'domain' : 'domains');
const isOrAre = (count: number): string => (count === 1 ? 'is' : 'are');
const planLine = (total: number, limit: number): string =>
  total > limit
    ? `Free checks up to ${inWords(limit)} of your ${inWords(total)} domains.`
    : `You track ${total} of ${limit} ${domains(limit)} on Free.`;
const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The problem's own sentence with the host set off, and put into it where it does not name the host. */
function reasonOf(problem: Problem): Phrase[] {
  const message = /[.!?]$/.test(problem.message) ? problem.message : `${problem.message}.`;
  const name = [problem.display_name, problem.hostname].find((candidate) => message.includes(candidate));
  if (name === undefined) {
    const [, rest] = /^The certificate( \p{Ll}.*)$/u.exec(message) ?? [];
    if (rest !== undefined) return [plain('The certificate of '), host(problem), plain(rest)];
    return [host(problem), plain(`: ${message}`)];
  }
  const start = message.indexOf(name);
  return [plain(message.slice(0, start)), host(problem), plain(message.slice(start + name.length))];
}
