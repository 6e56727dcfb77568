import type { SummaryWire } from '../../../contract/domain.ts';
import { onScheduleWords, timeLeft } from '../../../contract/state/schedule.ts';
import { inSentence, STATE_NAMES } from '../../../contract/state/state-words.ts';
import { counted, grouped, inLocalTime, plural } from '../../lib/format.ts';

/** A piece of text. Host names are highlighted in the details, and cut to fit in the headline. */
export interface Phrase {
  text: string;
  isHost: boolean;
}

export interface DashboardSentence {
  headline: Phrase[];
  /** The second line: a list of sentences, each made of phrases. */
  detail: Phrase[][];
}

interface Input {
  summary: SummaryWire;
  /** The plan's domain limit, shown with the number of domains; null if the plan has none. */
  limit: number | null;
  now: number;
}

type Attention = SummaryWire['attention'];
export type UrgentDomain = Attention['first'][number];

/** Returns the dashboard's headline and details: what needs attention, and what to do on which host by when. */
export function dashboardSentence({ summary, limit, now }: Input): DashboardSentence {
  const { total, counts, attention } = summary;
  const { headline, detail } =
    attention.total > 0
      ? { headline: attentionHeadline(attention, now), detail: reasonsOf(summary) }
      : calmSentence(summary, now);
  const { pending, paused } = counts;
  if (pending > 0 && (attention.total > 0 || pending + paused < total)) {
    detail.push([plain(`${domains(pending)} ${plural(pending, 'awaits its', 'await their')} first check.`)]);
  }
  if (paused > 0 && !headline.at(-1)?.text.endsWith(' paused'))
    detail.push([plain(`${domains(paused)} ${isOrAre(paused)} paused.`)]);
  if (limit !== null) detail.push([plain(planLine(total, limit))]);
  return { headline, detail };
}

/** Returns '2 days', 'down' or 'not trusted': why a domain needs attention, in as few words as possible. */
export function urgencyWords({ reason, not_after: notAfter }: UrgentDomain, now: number): string {
  const isDated = (reason === 'critical' || reason === 'soon') && notAfter !== null;
  return isDated ? timeLeft(Date.parse(notAfter) - now) : inSentence(STATE_NAMES[reason]);
}

/** The headline after the number of domains, if all of them need attention for the same reason. */
const ALL_ALIKE: Partial<Record<UrgentDomain['reason'], string>> = {
  expired: 'certificates have expired',
  revoked: 'certificates are revoked',
  untrusted: 'certificates are not trusted',
  down: 'domains are down',
  refused: 'domains are refused by some clients',
  unreachable: 'certificates were not read',
  overdue: 'renewals are overdue',
  flawed: 'domains need a fix',
};

function attentionHeadline({ total, counts, first: [worst] }: Attention, now: number): Phrase[] {
  if (total === 1 && worst) return headlineOfOne(worst, now);
  const subject = grouped(total);
  const alike = worst && counts[worst.reason] === total ? ALL_ALIKE[worst.reason] : undefined;
  if (alike !== undefined) return [plain(`${subject} ${alike}`)];
  const hosts = counts.down + counts.refused + counts.unreachable + counts.flawed;
  const need = `${subject} ${hosts > 0 ? 'domains' : 'certificates'} need attention`;
  const { soon } = counts;
  if (soon === total) return [plain(`${need} within two weeks`)];
  if (soon > 0) return [plain(`${need}, ${grouped(total - soon)} this week`)];
  return [plain(`${need} ${counts.critical > 0 ? 'this week' : 'now'}`)];
}

function headlineOfOne(domain: UrgentDomain, now: number): Phrase[] {
  const { reason, not_after: notAfter } = domain;
  const certificate = (state: string) => [plain('The certificate of '), host(domain), plain(` ${state}`)];
  switch (reason) {
    case 'expired':
      return [host(domain), plain(' has expired')];
    case 'revoked':
      return certificate('is revoked');
    case 'untrusted':
      return certificate('is not trusted');
    case 'down':
      return [host(domain), plain(' is down')];
    case 'refused':
      return [host(domain), plain(' is refused by some clients')];
    case 'unreachable':
      return certificate('was not read');
    case 'overdue':
      return [plain('The renewal of '), host(domain), plain(' is overdue')];
    case 'flawed':
      return [host(domain), plain(' needs a fix')];
    default:
      return [host(domain), plain(` expires ${notAfter === null ? 'soon' : inTime(notAfter, now)}`)];
  }
}

/** Explains the problem of the domain if only one needs attention. If several do, the list shows their reasons. */
function reasonsOf({ attention: { total, first }, problems }: SummaryWire): Phrase[][] {
  const [worst] = first;
  if (total > 1 || !worst) return [];
  const hasKind = (kind: string) =>
    problems.find((problem) => problem.id === worst.id && problem.kind === kind);
  const problem = hasKind(worst.reason) ?? hasKind('untrusted');
  return problem ? [reasonOf(problem)] : [];
}

const FIRST_CHECK: readonly Phrase[][] = [[{ text: 'The first check takes a few seconds.', isHost: false }]];

/** Returns the sentence if nothing needs attention: what is fine, and what expires next. */
function calmSentence({ total, counts, expiries }: SummaryWire, now: number): DashboardSentence {
  const { pending, paused } = counts;
  const fine = total - pending - paused;
  const next = expiries.find(({ state }) => state !== 'paused');
  if (fine <= 0 && paused === 0)
    return { headline: [plain(readingHeadline(pending))], detail: [...FIRST_CHECK] };
  if (next && pending + paused === 0 && fine === 1)
    return {
      headline: [host(next), plain(' is fine')],
      detail: [[plain(`It ${whatIsNext(next, now)}.`)]],
    };
  const isAll = next !== undefined && pending + paused === 0;
  const all = fine === 2 ? 'Both are fine' : `All ${grouped(fine)} are fine`;
  const detail = next
    ? [[plain('Next: '), host(next), plain(` ${whatIsNext(next, now)}.`)]]
    : pending > 0
      ? FIRST_CHECK
      : [];
  return { headline: [plain(isAll ? all : headlineOfSome({ fine, pending, paused }))], detail: [...detail] };
}

function readingHeadline(pending: number): string {
  // A domain that was just added may be in the list before the summary counts it.
  if (pending === 0) return 'Reading your certificates';
  return pending === 1
    ? 'Reading the certificate of 1 domain'
    : `Reading the certificates of ${domains(pending)}`;
}

/** Returns the headline if some domains are paused or not checked yet. "All" in a headline means every domain. */
function headlineOfSome({ fine, pending, paused }: Record<'fine' | 'pending' | 'paused', number>): string {
  if (fine + pending === 0) {
    if (paused === 1) return 'Your domain is paused';
    return paused === 2 ? 'Both domains are paused' : `All ${domains(paused)} are paused`;
  }
  const rest = paused > 0 ? `, ${domains(paused)} ${isOrAre(paused)} paused` : '';
  if (fine === 0) return `${domains(pending)} ${isOrAre(pending)} being read${rest}`;
  const fineWords = `${counted(fine, 'certificate is', 'certificates are')} fine${rest}`;
  return pending > 0 ? `So far, ${fineWords}` : fineWords;
}

/** Returns 'expires in 32 days', or 'renews on schedule, due in 2 days' for a short-lived certificate. */
function whatIsNext(next: SummaryWire['expiries'][number], now: number): string {
  const { not_after: notAfter, renewal_due_at: dueAt } = next;
  return dueAt === null ? `expires ${inTime(notAfter, now)}` : onScheduleWords(dueAt, now);
}

/** Returns 'in 32 days', or 'in 31 hours' below two days. */
function inTime(notAfter: string, now: number): string {
  return `in ${timeLeft(Date.parse(notAfter) - now)}`;
}

const plain = (text: string): Phrase => ({ text, isHost: false });
const host = ({ display_name }: { display_name: string }): Phrase => ({ text: display_name, isHost: true });
const domains = (count: number): string => counted(count, 'domain');
const isOrAre = (count: number): string => plural(count, 'is', 'are');
const planLine = (total: number, limit: number): string =>
  total > limit
    ? `Free checks up to ${limit} of your ${domains(total)}.`
    : `You track ${total} of ${domains(limit)} on Free.`;

/** Returns the problem's message with the host highlighted, and adds the host if the message does not name it. */
function reasonOf(problem: SummaryWire['problems'][number]): Phrase[] {
  const text = inLocalTime(problem.message);
  const message = /[.!?]$/.test(text) ? text : `${text}.`;
  const name = [problem.display_name, problem.hostname].find((candidate) => message.includes(candidate));
  if (name === undefined) {
    const [, rest] = /^The certificate( \p{Ll}.*)$/u.exec(message) ?? [];
    if (rest !== undefined) return [plain('The certificate of '), host(problem), plain(rest)];
    return [host(problem), plain(`: ${message}`)];
  }
  const start = message.indexOf(name);
  return [plain(message.slice(0, start)), host(problem), plain(message.slice(start + name.length))];
}
