import { expect, it } from 'vitest';
import { jsonDocument } from './download.ts';

const AT = Date.UTC(2026, 10, 20);

async function* listed(...items: unknown[]): AsyncGenerator {
  for (const item of items) yield await Promise.resolve(item);
}

it('jsonDocument writes values and lists as one indented JSON text', async () => {
  const document = {
    profile: { fullName: 'Zoë "Z"\n', created_at: AT, ends_at: null },
    none: listed(),
    domains: listed({ host: 'a', certificates: [{ notAfter: AT, facts: null }] }, { host: 'b', checks: 3 }),
    missing: undefined,
  };
  const text = (await Array.fromAsync(jsonDocument(document))).join('');
  expect(JSON.parse(text)).toEqual({
    profile: { full_name: 'Zoë "Z"\n', created_at: '2026-11-20T00:00:00.000Z', ends_at: null },
    none: [],
    domains: [
      { host: 'a', certificates: [{ not_after: '2026-11-20T00:00:00.000Z', facts: null }] },
      { host: 'b', checks: 3 },
    ],
    missing: null,
  });
  expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`);
});

it('jsonDocument writes times outside the range of Date as numbers', async () => {
  const [text] = [(await Array.fromAsync(jsonDocument({ a: { notAfter: 9e15 } }))).join('')];
  expect(JSON.parse(text)).toEqual({ a: { not_after: 9e15 } });
});

it('jsonDocument reads a list no faster than its text is consumed', async () => {
  let read = 0;
  async function* counted(): AsyncGenerator<number> {
    for (;;) yield await Promise.resolve(read++);
  }
  const text = jsonDocument({ numbers: counted() });
  for (let chunk = 0; chunk < 5; chunk++) await text.next();
  expect(read).toBeLessThan(6);
  await text.return();
});
