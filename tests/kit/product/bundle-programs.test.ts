import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keepPaths } from './bundle-programs.ts';

const folder = resolve(import.meta.dirname, '..', '..', '..', 'server', 'probe');
const transform = (code: string) => keepPaths.transform(code, join(folder, 'examiner-client.ts'));
const beside = (file: string) => `new URL('${file}', import.meta.url)`;

describe('The bundles of the programs', () => {
  it('find files that are beside the sources, and the bundles of their threads', () => {
    expect(transform(beside('logo.svg'))).toMatch(/^new URL\("file:.*\/server\/probe\/logo\.svg"\)$/);
    expect(transform('join(import.meta.dirname)')).toBe(`join(${JSON.stringify(folder)})`);
    expect(transform(beside('./examiner-thread.ts'))).toMatch(
      /^new URL\("file:.*\/test-programs\/examiner-thread\.js"\)$/,
    );
  });

  it('are refused if a source starts a thread that has no bundle, or uses its own address otherwise', () => {
    for (const code of [
      beside('./other-thread.ts'),
      'new URL(name, import.meta.url)',
      'import.meta.filename',
    ])
      expect(() => transform(code)).toThrow(code);
  });
});
