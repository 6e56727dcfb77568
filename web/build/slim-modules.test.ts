import { expect, it } from 'vitest';
import { slimmedCode } from './slim-modules.ts';

const flat = (code: string): string => code.replaceAll(/\s+/g, ' ').trim();

it('the build marks computed constants as pure and leaves literals and functions unchanged', () => {
  const source = `const inner = z.string();
    export const LIMIT = 3;
    export const outer = z.object({ inner }).meta({ id: 'Outer' });
    export const isLong = (text: string): boolean => text.length > LIMIT;`;
  expect(flat(slimmedCode(source, false))).toBe(
    flat(`const inner = /* @__PURE__ */ (() => (z.string()))();
      export const LIMIT = 3;
      export const outer = /* @__PURE__ */ (() => (z.object({ inner }).meta({ id: 'Outer' })))();
      export const isLong = (text: string): boolean => text.length > LIMIT;`),
  );
});

it('the build keeps only the fields of an API call that the pages read', () => {
  const source = `export const removeIt = {
      method: 'delete',
      path: '/it/{id}',
      access: 'session',
      scope: 'write',
      summary: 'Remove it, and (if empty) its folder',
      params: idParams,
      response: wrapped(z.object({ status: z.string() })),
      status: 200,
      problems: ['not_found'],
    } as const satisfies Call;`;
  expect(flat(slimmedCode(source, true))).toBe(
    flat(`export const removeIt = /* @__PURE__ */ (() => ({
      method: 'delete',
      path: '/it/{id}',
      access: 'session',
      response: wrapped(z.object({ status: z.string() })),
    } as const satisfies Call))();`),
  );
});
