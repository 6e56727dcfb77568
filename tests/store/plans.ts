import { CompiledQuery, createQueryId, type KyselyPlugin } from 'kysely';
import type { Store } from '../../server/store/db/open-store.ts';

/** Returns the query plan of each query that `work` makes. */
export async function plansOf(store: Store, work: (watched: Store) => Promise<unknown>): Promise<string[]> {
  const queries: CompiledQuery[] = [];
  const watching: KyselyPlugin = {
    transformQuery({ node }) {
      queries.push(store.db.getExecutor().compileQuery(node, createQueryId()));
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  // A proxy also sees queries that were compiled earlier (`compileOnce`); Kysely's plugins do not.
  const db = new Proxy(store.db.withPlugin(watching), {
    get(target, name) {
      if (name !== 'executeQuery') {
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      }
      return (query: CompiledQuery) => {
        queries.push(query);
        return store.db.executeQuery(query);
      };
    },
  });
  await work({ ...store, db, search: (_account, read) => read(db) });
  const explain = store.dialect === 'postgres' ? 'explain' : 'explain query plan';
  // A query that is compiled during this call is recorded a second time with placeholders. No database can explain that one.
  const isComplete = ({ parameters }: CompiledQuery) =>
    parameters.every((one) => typeof one !== 'object' || one === null);
  return Promise.all(
    queries.filter(isComplete).map(async ({ sql: text, parameters }) => {
      const explained = await store.db.executeQuery(CompiledQuery.raw(`${explain} ${text}`, [...parameters]));
      return JSON.stringify(explained.rows);
    }),
  );
}
