import type { Plugin } from 'vite';

const JSON_SCHEMA = /\/zod\/v4\/core\/(?:to-json-schema|json-schema-processors)\.js$/;
const CORE = /\/zod\/v4\/core\/core\.js$/;

/**
 * Zod as the pages need it. Its schemas carry what describes them as JSON Schema, 5 kB that only the server uses. And it
 * tries whether it may compile code, which the content security policy forbids and browsers report; `jitless` spares that,
 * and must be set before the first schema is made.
 */
export function slimZod(): Plugin {
  return {
    name: 'slim-zod',
    apply: 'build',
    enforce: 'pre',
    transform(code, id) {
      const path = id.replaceAll('\\', '/');
      if (CORE.test(path)) return { code: `${code}\nglobalConfig.jitless = true;`, map: null };
      if (!JSON_SCHEMA.test(path)) return null;
      const names = Array.from(code.matchAll(/^export (?:const|function|class) (\w+)/gm), ([, name]) => name);
      return { code: names.map((name) => `export function ${name}() {}`).join('\n'), map: null };
    },
  };
}
