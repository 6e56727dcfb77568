import type { Route } from './docs-page.ts';

/** Samples for what stands in addresses; whatever else is an id of the account's. */
const SAMPLES: Record<string, string> = {
  key: 'email',
  check_frequency: '60',
  from: '$OLD',
  to: '$NEW',
  slug: 'my-page',
};

/**
 * The call as a line for a shell, which has the token in `$TOKEN` and the id that is meant in `$ID`. The key of a call that is carried out
 * once is in `$KEY`, chosen beforehand: a line that made one would make another each time it is repeated. curl drops a header that is
 * empty without a word, so the shell stops where there is no key.
 */
export function curlOf({ method, path, parameters = [], requestBody }: Route, origin: string): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => SAMPLES[name] ?? '$ID');
  const query = parameters
    .filter(({ in: where, required }) => where === 'query' && required === true)
    .map(({ name }) => `${name}=${SAMPLES[name] ?? '…'}`)
    .join('&');
  const example = requestBody?.content['application/json']?.example;
  const takesKey = parameters.some(({ name }) => name === 'Idempotency-Key');
  const lines = [
    'curl --header "Authorization: Bearer $TOKEN"',
    ...(method === 'get' || (method === 'post' && example !== undefined)
      ? []
      : [`--request ${method.toUpperCase()}`]),
    ...(takesKey ? ['--header "Idempotency-Key: ${KEY:?}"'] : []),
    ...(example === undefined
      ? []
      : ['--header "Content-Type: application/json"', `--data '${JSON.stringify(example)}'`]),
    `"${origin}${filled}${query === '' ? '' : `?${query}`}"`,
  ];
  return lines.join(' \\\n  ');
}
