import { CALLS } from '../../contract/calls/calls.ts';
import { MAX_TAGS, NOTES_MAX_LENGTH, TAG_MAX_LENGTH } from '../../contract/words.ts';
import { grantPremium } from '../../server/store/accounts/accounts.ts';
import { openStore, type Store } from '../../server/store/db/open-store.ts';
import { searchText } from '../../server/store/monitors/monitor-row.ts';
import { type App, startApp, temporaryFolder } from '../../tests/kit/product/app.ts';
import { insertFleet } from '../../tests/kit/product/fleet.ts';
import { type Person, sendTo, signUp } from '../../tests/kit/product/people.ts';
import { type Figure, percentile } from '../scale/figures.ts';
import { healthWhile } from './routes.ts';

const DOMAINS = 10_000;
const ROUNDS = 20;
/** Length of the queries in characters; the maximum that the product accepts. */
const QUERY_LENGTH = 253;
const MAX_BLOCKED_MS = 50;

/** Letters to fill notes and tags with. The second one takes three bytes in UTF-8. */
const LETTERS = { ASCII: 'a', Hiragana: 'あ' };

/**
 * Measures how much the worst searches of one account slow down other accounts on SQLite. 10,000 domains have notes and tags of
 * maximum length that repeat one letter. Three of the four queries have maximum length and almost match everywhere.
 */
export async function measureSearch(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [name, letter] of Object.entries(LETTERS)) {
    const folder = temporaryFolder();
    const app = await startApp({ DATA_DIR: folder.path, BILLING: 'none' });
    try {
      const attacker = await signUp(sendTo(app.url), { name: 'Attacker' });
      const other = await signUp(sendTo(app.url), { name: 'Other' });
      await fill(folder.path, attacker.id, letter);
      figures.push(...(await measure(app, { attacker, other }, letter)).map((figure) => named(figure, name)));
    } finally {
      await app.stop();
      folder.remove();
    }
  }
  return figures;
}

const named = (figure: Figure, name: string): Figure => ({ ...figure, what: `${name}: ${figure.what}` });

async function fill(dataDir: string, accountId: string, letter: string): Promise<void> {
  const store = await openStore({ databaseUrl: null, dataDir });
  try {
    const now = Date.now();
    await grantPremium(store, accountId, { grant: { endsAt: null }, now });
    await insertFleet(store, { accountId, count: DOMAINS, now });
    await describeAll(store, letter);
  } finally {
    await store.close();
  }
}

async function describeAll(store: Store, letter: string): Promise<void> {
  const notes = letter.repeat(NOTES_MAX_LENGTH);
  await store.db.transaction().execute(async (trx) => {
    const monitors = await trx.selectFrom('monitors').select(['id', 'host', 'port']).execute();
    for (const [index, { id, host, port }] of monitors.entries()) {
      // Make all tags different, so that the summary has to count as many tags as possible.
      const tags = Array.from({ length: MAX_TAGS }, (_, tagIndex) =>
        String(index * MAX_TAGS + tagIndex).padStart(TAG_MAX_LENGTH, letter),
      );
      await trx
        .updateTable('monitors')
        .set({ notes, tags: JSON.stringify(tags), search_text: searchText({ host, port, notes, tags }) })
        .where('id', '=', id)
        .execute();
    }
  });
}

async function measure(
  app: App,
  { attacker, other }: { attacker: Person; other: Person },
  letter: string,
): Promise<Figure[]> {
  const queries = [
    `${letter.repeat(QUERY_LENGTH - 1)}b`,
    `b${letter.repeat(QUERY_LENGTH - 1)}`,
    `${letter.repeat(QUERY_LENGTH / 2)}b${letter.repeat(QUERY_LENGTH / 2)}`,
    letter,
  ];
  const sendAll = (q: string) => [
    attacker.ask(CALLS.listDomains, { query: { q } }),
    attacker.ask(CALLS.domainIds, { query: { q } }),
    attacker.ask(CALLS.domainSummary),
  ];
  await Promise.all(sendAll('a warm-up'));

  const searching = { isOver: false };
  const searched: number[] = [];
  const searches = (async () => {
    for (let round = 0; round < ROUNDS; round++)
      await Promise.all(
        sendAll(queries[round % queries.length] ?? '').map(async (call) => {
          const from = performance.now();
          await call;
          searched.push(performance.now() - from);
        }),
      );
    searching.isOver = true;
  })();
  const others: number[] = [];
  const lists = (async () => {
    while (!searching.isOver) {
      const from = performance.now();
      await other.ask(CALLS.listDomains);
      others.push(performance.now() - from);
    }
  })();
  const live = await healthWhile(app, Promise.all([searches, lists]));
  const ms = { unit: 'ms' };
  return [
    {
      ...ms,
      what: `/api/health/live, p99 of ${live.length}`,
      value: percentile(live, 0.99),
      max: MAX_BLOCKED_MS,
    },
    { ...ms, what: '/api/health/live, longest', value: Math.max(...live), max: 2 * MAX_BLOCKED_MS },
    { ...ms, what: 'another account’s list, p99', value: percentile(others, 0.99), max: MAX_BLOCKED_MS },
    { ...ms, what: 'another account’s list, longest', value: Math.max(...others), max: 2 * MAX_BLOCKED_MS },
    { ...ms, what: 'the searches themselves, p99', value: percentile(searched, 0.99) },
  ];
}
