import type { Plugin } from 'vite';

const MODULE = /\/zod\/v4\/core\/(?:to-json-schema|json-schema-processors)\.js$/;

/**
 * Every schema of zod can describe itself as JSON Schema, and so carries the code for it, 5 kB of what each page loads.
 * The server makes its OpenAPI document with it; no page asks for one.
 */
export function withoutJsonSchema(): Plugin {
  return {
    name: 'without-json-schema',
    apply: 'build',
    enforce: 'pre',
    transform(code, id) {
      if (!MODULE.test(id.replaceAll('\\', '/'))) return null;
      const names = Array.from(code.matchAll(/^export (?:const|function|class) (\w+)/gm), ([, name]) => name);
      return { code: names.map((name) => `export function ${name}() {}`).join('\n'), map: null };
    },
  };
}
