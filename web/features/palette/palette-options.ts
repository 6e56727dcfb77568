import { countOf } from '../../domain/domain-filter.ts';
import type { DomainWire, SummaryWire } from '../../../contract/domain.ts';
import { inPeriod } from '../../domain/day-and-month.ts';
import { STATE_NAMES } from '../../../contract/state/state-words.ts';
import type { ListStatus } from '../../../contract/words.ts';
import { type Theme, THEME_LABELS, THEMES } from '../../lib/browser/theme.ts';
import type { DashboardSearch } from '../../lib/dashboard-search.ts';

/** What choosing an option does. */
export type PaletteAction =
  | { type: Wish['verb']; domain: DomainWire }
  | { type: 'add'; host: string }
  /** Replaces the text in the input by this one. */
  | { type: 'write'; text: string }
  | { type: 'filter'; search: DashboardSearch }
  | {
      type: 'visit';
      to: '/dashboard' | '/certificates' | '/deadlines' | '/alerts' | '/status-page' | '/profile';
      hash?: string;
    }
  /** Downloads the list as a file. */
  | { type: 'export'; what: 'domains' | 'certificates' }
  | { type: 'theme'; theme: Theme }
  | { type: 'run'; run: () => void };

export interface PaletteOption {
  /** Unique id. It does not change while the list changes around the option. */
  id: string;
  label: string;
  /** More words by which the option can be found. */
  words?: string;
  /** How many domains a filter finds. */
  count?: number | undefined;
  action: PaletteAction;
}

export interface OptionGroup {
  title: string;
  options: PaletteOption[];
}

/** An option that the palette's caller adds. */
export interface PaletteCommand {
  label: string;
  run: () => void;
}

const PAGES: readonly PaletteOption[] = [
  { label: 'Domains', words: 'dashboard list', to: '/dashboard' },
  { label: 'Certificates', words: 'leaf issuer expiry wildcard renewal list', to: '/certificates' },
  {
    label: 'Deadlines',
    words: 'dates rules refused lifetime 47 days renewals replacement calendar',
    to: '/deadlines',
  },
  {
    label: 'Alerts',
    words: 'channels steps quiet hours events maintenance weekly digest calendar feed settings',
    to: '/alerts',
  },
  { label: 'Status page', words: 'public settings', to: '/status-page' },
  {
    label: 'Profile',
    words: 'account password passkeys sessions font keyboard shortcuts time zone settings',
    to: '/profile',
  },
  { label: 'Channels', words: 'email slack webhook alerts settings', to: '/alerts', hash: 'channels' },
  {
    label: 'Security',
    words: 'password passkeys authenticator app two-factor login settings',
    to: '/profile',
    hash: 'security',
  },
  { label: 'Sessions', words: 'browsers devices logged in settings', to: '/profile', hash: 'sessions' },
  { label: 'API tokens', words: 'scripts settings', to: '/profile', hash: 'api-tokens' },
].map(({ label, words, ...place }) => ({
  id: `page ${label}`,
  label,
  words,
  action: { type: 'visit', ...place } as PaletteAction,
}));

const STATUS_LABELS: Partial<Record<ListStatus, string>> = {
  attention: 'Domains that need attention',
  expiring: 'Expired and expiring certificates',
  problem: 'Domains with problems',
  renewal_fails: 'Certificates whose next renewal will fail',
  expired: 'Expired certificates',
  revoked: 'Revoked certificates',
  critical: STATE_NAMES.critical,
  soon: STATE_NAMES.soon,
  unread: STATE_NAMES.unread,
  paused: 'Paused domains',
  ok: STATE_NAMES.ok,
};

const VERBS = ['refresh', 'pause', 'resume'] as const;
const WITH_VERB = new RegExp(`^\\s*(${VERBS.join('|')})\\s(.*)$`, 'i');
const VERB_TITLES = { open: 'Domains', refresh: 'Refresh', pause: 'Pause', resume: 'Resume' };

/** What the text asks for: to open a domain, or to refresh, pause or resume one if the text begins with that verb. */
export interface Wish {
  verb: 'open' | (typeof VERBS)[number];
  /** The text after the verb: part of a name. */
  q: string;
}

export function parseWish(text: string): Wish {
  const [, typed, rest = ''] = WITH_VERB.exec(text) ?? [];
  const verb = VERBS.find((each) => each === typed?.toLowerCase());
  return verb === undefined ? { verb: 'open', q: text.trim() } : { verb, q: rest.trim() };
}

interface Facts {
  text: string;
  /** The domains that the server found for the text. */
  found: readonly DomainWire[];
  summary: SummaryWire | undefined;
  commands: readonly PaletteCommand[];
  /** In ms UTC. */
  now: number;
}

/**
 * Returns the options for the text, in groups; leaves out empty groups. Without text, leaves out options that are only found
 * by typing.
 */
export function optionGroups({ text, found, summary, commands, now }: Facts): OptionGroup[] {
  const { verb, q } = parseWish(text);
  const domains = {
    title: VERB_TITLES[verb],
    options: found
      .filter(({ paused }) => verb === 'open' || (paused === null) === (verb !== 'resume'))
      .map((domain): PaletteOption => ({
        id: `${verb} ${domain.id}`,
        label: domain.display_name,
        action: { type: verb, domain },
      })),
  };
  const groups =
    verb === 'open'
      ? [
          domains,
          {
            title: 'Actions',
            options: [...addOptions(q, found), ...matching(actionsOf(commands, q !== ''), q)],
          },
          { title: 'Pages', options: matching(PAGES, q) },
          { title: 'Filters', options: matching(filtersOf(summary, q !== '', now), q) },
        ]
      : [domains];
  return groups.filter(({ options }) => options.length > 0);
}

/** Returns the option to add a domain, if the text looks like a host that is not in the list. */
function addOptions(q: string, found: readonly DomainWire[]): PaletteOption[] {
  const isHost = /^\S+\.\S+$/.test(q) && !found.some(({ display_name: name }) => name === q.toLowerCase());
  return isHost ? [{ id: 'add host', label: `Add ${q}`, action: { type: 'add', host: q } }] : [];
}

/** Returns the actions; the themes only if `isTyped`. */
function actionsOf(commands: readonly PaletteCommand[], isTyped: boolean): PaletteOption[] {
  const themes = (isTyped ? THEMES : []).map((theme): PaletteOption => ({
    id: `theme ${theme}`,
    label: `Theme: ${THEME_LABELS[theme]}`,
    words: 'settings colours mode',
    action: { type: 'theme', theme },
  }));
  return [
    { id: 'add', label: 'Add Domain', words: 'new host', action: { type: 'add', host: '' } },
    {
      id: 'refresh',
      label: 'Refresh a domain…',
      words: 'check now again',
      action: { type: 'write', text: 'refresh ' },
    },
    { id: 'pause', label: 'Pause a domain…', action: { type: 'write', text: 'pause ' } },
    { id: 'resume', label: 'Resume a domain…', action: { type: 'write', text: 'resume ' } },
    ...(['domains', 'certificates'] as const).map((what): PaletteOption => ({
      id: `export ${what}`,
      label: `Export ${what}`,
      words: 'csv download file',
      action: { type: 'export', what },
    })),
    ...commands.map(({ label, run }): PaletteOption => ({
      id: `command ${label}`,
      label,
      action: { type: 'run', run },
    })),
    ...themes,
  ];
}

/** Returns the filters that find a domain. Those by month and by tag only if `isTyped`, because there may be hundreds. */
function filtersOf(summary: SummaryWire | undefined, isTyped: boolean, now: number): PaletteOption[] {
  if (!summary) return [];
  const states = Object.entries(STATUS_LABELS).map(([status, label]): PaletteOption => ({
    id: `status ${status}`,
    label,
    count: countOf(summary, status as ListStatus),
    action: { type: 'filter', search: { status: status as ListStatus } },
  }));
  const tags = (isTyped ? summary.tags : []).map(({ tag, count }): PaletteOption => ({
    id: `tag ${tag}`,
    label: `Tag: ${tag}`,
    count,
    action: { type: 'filter', search: { tag } },
  }));
  const months = (isTyped ? expiryMonths(summary, now) : []).map(([month, count]): PaletteOption => ({
    id: `month ${month}`,
    label: `Expiring ${inPeriod(month)}`,
    words: 'expires certificates',
    count,
    action: { type: 'filter', search: { expires: month } },
  }));
  return [...states, ...months, ...tags].filter(({ count = 0 }) => count > 0);
}

/** Returns the months (UTC), from this one on, in which certificates expire, each with its number of certificates, in order. */
function expiryMonths({ expiries }: SummaryWire, now: number): [month: string, count: number][] {
  const thisMonth = new Date(now).toISOString().slice(0, 7);
  const months = new Map<string, number>();
  for (const { not_after: notAfter, count } of expiries) {
    const month = notAfter.slice(0, 7);
    if (month >= thisMonth) months.set(month, (months.get(month) ?? 0) + count);
  }
  return [...months];
}

/** Returns the options in which every word of `q` is the beginning of a word. Options whose label has all of these words come first. */
function matching(options: readonly PaletteOption[], q: string): PaletteOption[] {
  const wanted = q.toLowerCase().split(/\s+/);
  const has = (text: string) => wanted.every((word) => ` ${text}`.toLowerCase().includes(` ${word}`));
  const found = options.filter(({ label, words = '' }) => has(`${label} ${words}`));
  const isNamed = ({ label }: PaletteOption) => has(label);
  return [...found.filter(isNamed), ...found.filter((option) => !isNamed(option))];
}
