/**
 * A JSON object as text, made while it is read: values are written as they are, lists that are async iterables item by
 * item. So a document of any length needs the memory of its longest item.
 */
export async function* jsonDocument(
  document: Record<string, unknown>,
): AsyncGenerator<string, void, undefined> {
  let between = '{\n';
  for (const [name, value] of Object.entries(document)) {
    yield `${between}  ${JSON.stringify(name)}: `;
    between = ',\n';
    if (!isAsyncIterable(value)) {
      yield indented(value, 1);
      continue;
    }
    let opening = '[\n    ';
    for await (const item of value) {
      yield opening + indented(item, 2);
      opening = ',\n    ';
    }
    yield opening.startsWith('[') ? '[]' : '\n  ]';
  }
  yield '\n}\n';
}

/** Names in snake case and instants in ISO 8601, as everywhere on the wire. */
function readable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      const name = key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      const isInstant =
        typeof each === 'number' && /(?:^|_)(?:at|since)$|^as_of$|^not_(?:before|after)$/.test(name);
      return [name, isInstant ? isoText(each) : readable(each)];
    }),
  );
}

/** What no calendar of JavaScript reaches stays a number. */
function isoText(instant: number): string | number {
  return Math.abs(instant) <= 8.64e15 ? new Date(instant).toISOString() : instant;
}

/** A string in JSON holds no line break: the ones in here are all between values. */
function indented(value: unknown, depth: number): string {
  return JSON.stringify(readable(value) ?? null, null, 2).replaceAll('\n', `\n${'  '.repeat(depth)}`);
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
