import { expect, it } from 'vitest';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { startApi } from './test-api.ts';

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** Fields with texts for people, which may change without breaking clients. */
const TEXTS = new Set(['description', 'summary', 'example', 'examples', 'title', 'pattern']);

/** Returns every name and value below a part of the document that a client can depend on. */
function namesIn(part: Json | undefined, document: { [key: string]: Json }): string[] {
  if (Array.isArray(part)) return part.flatMap((one) => namesIn(one, document));
  if (part === null || typeof part !== 'object') return part === undefined ? [] : [String(part)];
  return Object.entries(part).flatMap(([key, value]) => {
    if (TEXTS.has(key)) return [];
    if (key === '$ref' && typeof value === 'string') return namesIn(resolved(value, document), document);
    return [key, ...namesIn(value, document)];
  });
}

function resolved(ref: string, document: { [key: string]: Json }): Json {
  return ref
    .split('/')
    .slice(1)
    .reduce<Json>((part, name) => (part as { [key: string]: Json })[name] ?? null, document);
}

describeAnyDatabase('Public names', (open) => {
  it('the public names of calls, fields and values match the snapshot', async () => {
    const api = await startApi(open);
    const document = (await (await api.send('/api/openapi.json')).json()) as {
      [key: string]: Json;
      paths: { [path: string]: { [method: string]: Json } };
    };
    const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        call: `${method.toUpperCase()} ${path}`,
        names: new Set(namesIn(operation, document)),
      })),
    );
    const [first, ...others] = calls;
    const common = [...(first?.names ?? [])].filter((name) => others.every(({ names }) => names.has(name)));
    const lines = [
      `every call\n  ${common.toSorted().join(' ')}`,
      ...calls.map(({ call, names }) => {
        const own = [...names].filter((name) => !common.includes(name));
        return `${call}\n  ${own.toSorted().join(' ')}`;
      }),
    ];
    await expect(`${lines.toSorted().join('\n')}\n`).toMatchFileSnapshot('public-names-api.txt');
  });

  it('the public names of metrics match the snapshot', async () => {
    const api = await startApi(open);
    const text = await (await api.sendFrom('127.0.0.1')('/metrics', {})).text();
    const names = Array.from(text.matchAll(/^# TYPE (\S+ \S+)$/gm), ([, name = '']) => name);
    await expect(`${names.toSorted().join('\n')}\n`).toMatchFileSnapshot('public-names-metrics.txt');
  });
});
