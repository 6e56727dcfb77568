import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keepPaths } from './programs.config.ts';
import { ROOT } from './programs.ts';

const transform = (code: string) =>
  keepPaths.transform(code, join(ROOT, 'server', 'probe', 'examiner-client.ts'))?.code;
const beside = (file: string) => `new URL('${file}', import.meta.url)`;

describe('The bundles of the programs', () => {
  it('find files that are beside the sources, and the bundles of their threads', () => {
    expect(transform(beside('logo.svg'))).toBe(`new URL("../../server/probe/logo.svg", import.meta.url)`);
    expect(transform('join(import.meta.dirname)')).toBe(
      'join((import.meta.dirname + "/../../server/probe"))',
    );
    expect(transform(beside('./examiner-thread.ts'))).toBe(
      `new URL("./examiner-thread.js", import.meta.url)`,
    );
  });

  it('are refused if a source starts a thread that has no bundle, or uses `import.meta` in another way', () => {
    expect(() => transform(beside('./other-thread.ts'))).toThrow('other-thread.ts');
    expect(() => transform('new URL(name, import.meta.url)')).toThrow('import.meta.url');
    expect(() => transform('import.meta.filename')).toThrow('import.meta.filename');
  });
});
